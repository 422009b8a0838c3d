//! The smallest MCP server: one tool, `echo`, over standard input and output. Live tests let an agent start it.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        let Some(id) = request.get("id") else { continue };
        let result = answer(&request);
        writeln!(out, "{}", json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(request: &Value) -> Value {
    match request.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": request.pointer("/params/protocolVersion"),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "mock", "version": "1" },
        }),
        "tools/list" => {
            let text = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
            json!({ "tools": [{ "name": "echo", "description": "Echoes a text", "inputSchema": text }] })
        }
        "tools/call" => {
            let text = request.pointer("/params/arguments/text").and_then(Value::as_str).unwrap_or_default();
            json!({ "content": [{ "type": "text", "text": format!("echo: {text}") }] })
        }
        _ => json!({}),
    }
}
