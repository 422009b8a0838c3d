//! A model server for agents under test: speaks Anthropic Messages on a loopback port, follows a [`Script`] and
//! records what the agent sends back. It stands in for every provider; nothing leaves the machine.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};

use super::{
    conversation::{Answer, Conversation, ToolResult},
    message::Message,
    script::Script,
};

/// A running model server; it ends when dropped.
pub struct MockModel {
    address: SocketAddr,
    record: Arc<watch::Sender<Record>>,
    server: JoinHandle<()>,
}

/// What the server has seen so far.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Requests for a message, side requests included.
    pub requests: Vec<Request>,
    /// Results of tool calls, each once, in the order of their arrival.
    pub results: Vec<ToolResult>,
    /// How often the page was fetched.
    pub pages: usize,
    /// Paths that the server does not know.
    pub strange: Vec<String>,
}

/// One request for a message.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whether tools were on offer; a side request has none.
    pub with_tools: bool,
    /// The tools that the answer called.
    pub called: Vec<String>,
}

struct Served {
    script: Script,
    project: String,
    address: SocketAddr,
    record: Arc<watch::Sender<Record>>,
}

impl MockModel {
    /// Starts a server on a free port; `project` fills the script's `{project}`.
    pub async fn start(script: Script, project: &Path) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let record = Arc::new(watch::Sender::new(Record::default()));
        let project = project.to_str().context("the project folder's name is not text")?.to_owned();
        let served = Served { script, project, address, record: record.clone() };
        let routes = Router::new()
            .route("/", get(StatusCode::OK))
            .route("/page", get(page))
            .route("/v1/models", get(models))
            .route("/v1/messages", post(messages))
            .route("/v1/messages/count_tokens", post(count_tokens))
            .fallback(strange)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::new(served));
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, routes).await {
                unreachable!("axum serves until it is aborted: {error}");
            }
        });
        Ok(Self { address, record, server })
    }

    /// The base address, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has been seen up to now.
    pub fn record(&self) -> Record {
        self.record.borrow().clone()
    }

    /// Waits until the result with this index (from 0, all conversations together) has come, and returns it.
    pub async fn wait_tool_result(&self, index: usize, bound: Duration) -> Result<ToolResult> {
        let record =
            self.wait(&format!("tool result {index}"), bound, |seen| seen.results.len() > index).await?;
        record.results.get(index).cloned().context("the awaited result is there")
    }

    /// Waits until the record satisfies a condition, and returns it.
    pub async fn wait(&self, what: &str, bound: Duration, ready: impl Fn(&Record) -> bool) -> Result<Record> {
        let mut changes = self.record.subscribe();
        match timeout(bound, changes.wait_for(|record| ready(record))).await {
            Ok(record) => Ok(record?.clone()),
            Err(_) => bail!("the model saw no {what} within {bound:?}; it saw {:#?}", self.record()),
        }
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn messages(State(served): State<Arc<Served>>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "this is not JSON").into_response();
    };
    let conversation = Conversation::parse(&request);
    let mut answer = conversation.next(&served.script);
    if let Answer::Calls(calls) = &mut answer {
        calls.iter_mut().for_each(|call| served.fill(&mut call.input));
    }
    let serial = served.note(&conversation, &answer);
    let message = Message::new(serial, request.get("model").and_then(Value::as_str), answer);
    match request.get("stream").and_then(Value::as_bool) {
        Some(true) => ([(header::CONTENT_TYPE, "text/event-stream")], message.events()).into_response(),
        _ => Json(message.whole()).into_response(),
    }
}

async fn count_tokens() -> Json<Value> {
    Json(json!({ "input_tokens": 1000 }))
}

async fn models() -> Json<Value> {
    let model = json!({
        "type": "model", "id": "mock-model", "display_name": "mock-model", "created_at": "2025-01-01T00:00:00Z",
    });
    Json(json!({ "data": [model], "has_more": false, "first_id": "mock-model", "last_id": "mock-model" }))
}

async fn page(State(served): State<Arc<Served>>) -> Html<&'static str> {
    served.record.send_modify(|record| record.pages += 1);
    Html("<html><body><h1>A loopback page</h1></body></html>")
}

async fn strange(State(served): State<Arc<Served>>, method: Method, uri: Uri) -> Response {
    served.record.send_modify(|record| record.strange.push(format!("{method} {uri}")));
    let error = json!({ "type": "error", "error": { "type": "not_found_error", "message": "not scripted" } });
    (StatusCode::NOT_FOUND, Json(error)).into_response()
}

impl Served {
    /// Records a request with its answer; returns the request's number, from 1.
    fn note(&self, conversation: &Conversation, answer: &Answer) -> usize {
        let called = match answer {
            Answer::Calls(calls) => calls.iter().map(|call| call.tool.clone()).collect(),
            Answer::Text(_) => Vec::new(),
        };
        let mut serial = 0;
        self.record.send_modify(|record| {
            record.requests.push(Request { with_tools: !conversation.tools.is_empty(), called });
            serial = record.requests.len();
            for result in &conversation.results {
                if record.results.iter().all(|known| known.id != result.id) {
                    record.results.push(result.clone());
                }
            }
        });
        serial
    }

    fn fill(&self, input: &mut Value) {
        match input {
            Value::String(text) => {
                let model = format!("http://{}", self.address);
                *text = text.replace("{project}", &self.project).replace("{model}", &model);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.fill(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
