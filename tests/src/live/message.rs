//! One answer of the scripted model as Anthropic Messages wants it: whole, or as a stream of server-sent events.

use serde_json::{Value, json};

use super::conversation::Answer;

/// An answer ready to be sent.
pub(super) struct Message {
    head: Value,
    blocks: Vec<Value>,
    stop_reason: &'static str,
}

impl Message {
    /// `serial` makes the message's and the calls' ids unique.
    pub(super) fn new(serial: usize, model: Option<&str>, answer: Answer) -> Self {
        let (blocks, stop_reason) = match answer {
            Answer::Text(text) => (vec![json!({ "type": "text", "text": text })], "end_turn"),
            Answer::Calls(calls) => {
                let uses = calls.into_iter().enumerate().map(|(index, call)| {
                    let id = format!("toolu_{serial:03}_{index}");
                    json!({ "type": "tool_use", "id": id, "name": call.tool, "input": call.input })
                });
                let words = json!({ "type": "text", "text": "I will do that now." });
                (std::iter::once(words).chain(uses).collect(), "tool_use")
            }
        };
        let head = json!({
            "id": format!("msg_{serial:03}"), "type": "message", "role": "assistant",
            "model": model.unwrap_or("mock-model"), "stop_sequence": null,
            "usage": {
                "input_tokens": 100, "output_tokens": 10,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            },
        });
        Self { head, blocks, stop_reason }
    }

    /// The message in one piece.
    pub(super) fn whole(&self) -> Value {
        self.with_content(json!(self.blocks), json!(self.stop_reason))
    }

    /// The message as the text of an event stream.
    pub(super) fn events(&self) -> String {
        let start = json!({ "type": "message_start", "message": self.with_content(json!([]), Value::Null) });
        let end = json!({
            "type": "message_delta", "delta": { "stop_reason": self.stop_reason, "stop_sequence": null },
            "usage": { "output_tokens": 10 },
        });
        let blocks = self.blocks.iter().enumerate().flat_map(|(index, block)| block_events(index, block));
        let stop = json!({ "type": "message_stop" });
        std::iter::once(start).chain(blocks).chain([end, stop]).map(|event| render(&event)).collect()
    }

    fn with_content(&self, content: Value, stop_reason: Value) -> Value {
        let mut message = self.head.clone();
        if let Some(fields) = message.as_object_mut() {
            fields.insert("content".to_owned(), content);
            fields.insert("stop_reason".to_owned(), stop_reason);
        }
        message
    }
}

fn block_events(index: usize, block: &Value) -> [Value; 3] {
    let mut opened = block.clone();
    let delta = match block.get("input") {
        Some(input) => {
            opened.as_object_mut().map(|fields| fields.insert("input".to_owned(), json!({})));
            json!({ "type": "input_json_delta", "partial_json": input.to_string() })
        }
        None => {
            opened.as_object_mut().map(|fields| fields.insert("text".to_owned(), json!("")));
            json!({ "type": "text_delta", "text": block.get("text") })
        }
    };
    [
        json!({ "type": "content_block_start", "index": index, "content_block": opened }),
        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        json!({ "type": "content_block_stop", "index": index }),
    ]
}

fn render(event: &Value) -> String {
    let name = event.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}

#[cfg(test)]
mod tests {
    use super::{super::script::Call, *};

    #[test]
    fn a_stream_carries_the_whole_input_of_a_call() {
        let call = Call::bash("echo \"x\"");
        let events = Message::new(7, None, Answer::Calls(vec![call.clone()])).events();
        let pieces: Vec<Value> = events
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let input = pieces
            .iter()
            .find_map(|piece| piece.pointer("/delta/partial_json"))
            .and_then(Value::as_str)
            .unwrap();
        assert_eq!(serde_json::from_str::<Value>(input).unwrap(), call.input);
        assert!(pieces.iter().any(|piece| piece.pointer("/delta/stop_reason") == Some(&json!("tool_use"))));
        assert_eq!(pieces.last().unwrap(), &json!({ "type": "message_stop" }));
    }

    #[test]
    fn words_alone_end_the_turn() {
        let whole = Message::new(1, Some("m"), Answer::Text("hi".to_owned())).whole();
        assert_eq!(whole["stop_reason"], "end_turn");
        assert_eq!(whole["content"], json!([{ "type": "text", "text": "hi" }]));
        assert_eq!(whole["model"], "m");
    }
}
