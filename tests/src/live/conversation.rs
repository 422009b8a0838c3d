//! Reads where a conversation stands from one Anthropic Messages request, so that the model needs no memory:
//! the turn is the number of answers with tool calls that the request repeats.

use serde_json::Value;

use super::script::{Call, DONE, Script};

/// Claude Code's tool for waiting until an MCP server is up; no turn of any script.
const WAIT_FOR_MCP: &str = "WaitForMcpServers";

/// What became of one tool call, as the agent reports it to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call's id.
    pub id: String,
    /// Whether the agent calls it an error (a refusal is one).
    pub is_error: bool,
    /// The text the model reads.
    pub text: String,
}

/// One request of the agent, as far as a script needs it.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Names of the tools on offer; none in side requests (titles, summaries).
    pub tools: Vec<String>,
    /// Everything the user's side said.
    pub said: String,
    /// Answers with tool calls so far.
    pub turns_done: usize,
    /// Results so far, without those of waiting for an MCP server.
    pub results: Vec<ToolResult>,
}

/// What the model answers.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// Tool calls.
    Calls(Vec<Call>),
    /// Words only, which end the turn.
    Text(String),
}

impl Conversation {
    /// Reads a request's body.
    pub fn parse(request: &Value) -> Self {
        let mut conversation = Self::default();
        for tool in items(request, "tools") {
            conversation.tools.push(text(tool, "name"));
        }
        let mut waits = Vec::new();
        for message in items(request, "messages") {
            match text(message, "role").as_str() {
                "assistant" => conversation.hear_model(message, &mut waits),
                _ => conversation.hear_user(message, &waits),
            }
        }
        conversation
    }

    /// What a script says next.
    pub fn next(&self, script: &Script) -> Answer {
        if self.tools.is_empty() {
            return Answer::Text("ok".to_owned());
        }
        let subagent = script.subagents.iter().find(|(prompt, _)| self.said.contains(prompt));
        let turns = subagent.map_or(&script.turns, |(_, turns)| turns);
        let Some(calls) = turns.get(self.turns_done) else { return Answer::Text(DONE.to_owned()) };
        match calls.iter().find(|call| !self.offers(&call.tool)) {
            None => Answer::Calls(calls.clone()),
            Some(_) if self.offers(WAIT_FOR_MCP) => {
                Answer::Calls(vec![Call::new(WAIT_FOR_MCP, Value::Object(serde_json::Map::new()))])
            }
            Some(missing) => Answer::Text(format!("The tool {} is not on offer.", missing.tool)),
        }
    }

    fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }

    fn hear_model(&mut self, message: &Value, waits: &mut Vec<String>) {
        let calls: Vec<&Value> = blocks(message, "tool_use").collect();
        let (waiting, real): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|call| text(call, "name") == WAIT_FOR_MCP);
        waits.extend(waiting.iter().map(|call| text(call, "id")));
        self.turns_done += usize::from(!real.is_empty());
    }

    fn hear_user(&mut self, message: &Value, waits: &[String]) {
        for result in blocks(message, "tool_result") {
            let id = text(result, "tool_use_id");
            if !waits.contains(&id) {
                let is_error = result.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                self.results.push(ToolResult { id, is_error, text: words(result) });
            }
        }
        self.said.push_str(&words(message));
        self.said.push('\n');
    }
}

fn words(holder: &Value) -> String {
    if let Some(whole) = holder.get("content").and_then(Value::as_str) {
        return whole.to_owned();
    }
    blocks(holder, "text").map(|block| text(block, "text")).collect::<Vec<_>>().join("\n")
}

fn blocks<'a>(holder: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    items(holder, "content").filter(move |block| text(block, "type") == kind)
}

fn items<'a>(holder: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    holder.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(holder: &Value, key: &str) -> String {
    holder.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(messages: Value) -> Conversation {
        Conversation::parse(&json!({ "tools": [{ "name": "Bash" }], "messages": messages }))
    }

    #[test]
    fn the_first_request_gets_the_first_turn() {
        let conversation = request(json!([{ "role": "user", "content": "please do it" }]));
        assert_eq!(
            conversation.next(&Script::shell()),
            Answer::Calls(vec![Call::bash("echo ran > ran.txt")])
        );
    }

    #[test]
    fn a_result_ends_a_script_of_one_turn() {
        let conversation = request(json!([
            { "role": "user", "content": [{ "type": "text", "text": "please do it" }] },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "Bash", "input": {} }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "is_error": true,
                  "content": [{ "type": "text", "text": "no" }] },
            ] },
        ]));
        assert_eq!(conversation.next(&Script::shell()), Answer::Text(DONE.to_owned()));
        let expected = ToolResult { id: "a".to_owned(), is_error: true, text: "no".to_owned() };
        assert_eq!(conversation.results, [expected]);
    }

    #[test]
    fn a_subagent_is_known_by_its_prompt() {
        let script = Script::subagent();
        let parent = Conversation { tools: vec!["Agent".to_owned()], ..Conversation::default() };
        let Answer::Calls(calls) = parent.next(&script) else { unreachable!("the parent calls") };
        let prompt = calls[0].input["prompt"].as_str().unwrap();
        let child = request(json!([{ "role": "user", "content": prompt }]));
        assert_eq!(child.next(&script), Answer::Calls(vec![Call::bash("echo ran > ran.txt")]));
    }

    #[test]
    fn waiting_for_an_mcp_server_is_no_turn() {
        let conversation = Conversation::parse(&json!({
            "tools": [{ "name": "WaitForMcpServers" }, { "name": "mcp__mock__echo" }],
            "messages": [
                { "role": "user", "content": "please do it" },
                { "role": "assistant", "content": [{ "type": "tool_use", "id": "w", "name": "WaitForMcpServers" }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "w", "content": "ready" },
                ] },
            ],
        }));
        assert!(conversation.results.is_empty());
        assert!(matches!(conversation.next(&Script::mcp()), Answer::Calls(_)));
    }

    #[test]
    fn a_side_request_without_tools_gets_a_plain_word() {
        let title = Conversation::parse(&json!({ "messages": [{ "role": "user", "content": "a title?" }] }));
        assert_eq!(title.next(&Script::shell()), Answer::Text("ok".to_owned()));
    }
}
