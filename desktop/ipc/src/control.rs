//! The control socket: a client sends requests and gets replies, each one JSON object a line. A request's `id` comes
//! back on all its replies, so that one connection can watch and decide; a connection is one surface (WHO-6).
//! Text in replies was escaped by the core already; it may be shown as it is.

mod card;
mod decided;
mod line;
mod log;
mod pair;
mod reply;
mod request;
mod status;
mod watch;

pub use card::{Agent, Block, Card, Decision, DiffLine, Level, Position, Session, Sign, Subagent};
pub use decided::{PolicyChange, PolicyInfo, PolicyKind, PolicyReview, PolicyText, RuleInfo};
pub use line::{
    BadLine, REPLY_LINE, REQUEST_LINE, decode_reply, decode_request, encode_reply, encode_request,
};
pub use log::{LogEntry, LogFilter, LogReport};
pub use pair::{PairEvent, PhoneInfo};
pub use reply::{ControlReply, ErrorCode, Failure};
pub use request::{ControlRequest, DenyWhich, PhoneWhich};
pub use status::{Check, CheckState, DecidedCounts, Phone, PhoneState, RelayState, Status};
pub use watch::{Ending, Outcome, WatchEvent};
