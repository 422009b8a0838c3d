//! Reports as JSON, one object a line: `event` names it, `phone` labels it.

use countersign_mobile_core::{
    card::Shape,
    inbox::{End, Turned},
    phone::Event,
};
use countersign_proto::{message::Closed, receipt::Outcome, reply::Replies, text::Shown};
use serde_json::{Map, Value, json};

use super::{CardView, LABEL, Report};

impl Report {
    /// One JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Code(code) => event("code", json!({ "code": code })),
            Self::Prompt(title) => event("prompt", json!({ "title": text(title) })),
            Self::Paired { desktop, device, name, account } => event(
                "paired",
                json!({ "desktop": desktop, "device": device, "name": text(name), "account": text(account) }),
            ),
            Self::Relay(Ok(())) => event("relay", json!({ "up": true })),
            Self::Relay(Err(why)) => event("relay", json!({ "up": false, "text": why })),
            Self::Card(view) => event("card", card(view)),
            Self::Event(happened) => of_event(happened),
            Self::Replayed(offer, outcome) => {
                event("replayed", merge(json!({ "offer": offer.to_string() }), of_outcome(outcome)))
            }
            Self::Held => event("held", json!({})),
            Self::NotDone(why) => event("not_done", json!({ "text": why })),
            Self::Bye(why) => event("bye", json!({ "text": why })),
        }
    }
}

fn event(name: &str, fields: Value) -> Value {
    merge(json!({ "event": name, "phone": LABEL }), fields)
}

fn merge(first: Value, second: Value) -> Value {
    let mut all = Map::new();
    for part in [first, second] {
        if let Value::Object(fields) = part {
            all.extend(fields);
        }
    }
    Value::Object(all)
}

/// A text that is on no card: its secrets are masked.
fn text(shown: &Shown) -> Value {
    Value::from(shown.to_string())
}

fn names(replies: Replies) -> Value {
    replies.iter().map(|decision| Value::from(decision.name())).collect()
}

fn card(view: &CardView) -> Value {
    let card = &view.card;
    let text = |shown: &Shown| Value::from(view.said(shown));
    let texts = |all: &[Shown]| all.iter().map(text).collect::<Value>();
    json!({
        "offer": card.offer_id.to_string(),
        "headline": text(&card.headline),
        "blocks": card.blocks.iter().map(|shape| block(view, shape)).collect::<Value>(),
        "agent": text(&card.agent),
        "tool": text(&card.tool),
        "session": text(&card.session),
        "subagent": card.subagent.as_ref().map(text),
        "folder": text(&card.folder),
        "start_folder": card.start_folder.as_ref().map(text),
        "host": text(&card.host),
        "mode": text(&card.mode),
        "class": card.class.name(),
        "level": card.level.name(),
        "reasons": texts(&card.reasons),
        "why": text(&card.why),
        "line": card.line.as_ref().map(text),
        "depends": texts(&card.depends),
        "warnings": card.warnings.iter().map(|warning| Value::from(warning.text())).collect::<Value>(),
        "agent_says": text(&card.words),
        "always": texts(&card.always),
        "allowed": names(card.allowed),
        "secrets": card.secrets,
        "folded": view.folded,
        "left_ms": view.left_ms,
        "fronted": view.fronted,
        "waiting": view.waiting,
    })
}

fn block(view: &CardView, block: &Shape) -> Value {
    let said = |shown: &Shown| Value::from(view.said(shown));
    match block {
        Shape::Command(command) => json!({ "command": said(command) }),
        Shape::Diff { path, is_new, added, removed, lines } => json!({
            "diff": said(path), "new": is_new, "added": added, "removed": removed, "lines": said(lines),
        }),
        Shape::File(path) => json!({ "file": said(path) }),
        Shape::Url(url) => json!({ "url": said(url) }),
        Shape::Text { label, text } => json!({ "label": said(label), "text": said(text) }),
        Shape::Question { tag, text, options, many } => json!({
            "question": said(text),
            "tag": said(tag),
            "options": options.iter().map(said).collect::<Value>(),
            "many": many,
        }),
    }
}

fn of_event(happened: &Event) -> Value {
    match happened {
        Event::Up => event("up", json!({})),
        Event::Down => event("down", json!({})),
        Event::Card(offer) => event("card", json!({ "offer": offer.to_string() })),
        Event::Touched(offer) => event("touched", json!({ "offer": offer.to_string() })),
        Event::Unfolded(offer) => event("unfolded", json!({ "offer": offer.to_string() })),
        Event::NotTaken(offer, why) => {
            event("not_taken", json!({ "offer": offer.to_string(), "text": why.to_string() }))
        }
        Event::BioCancelled(offer) => event("finger_cancelled", json!({ "offer": offer.to_string() })),
        Event::Sent(offer, decision) => {
            event("sent", json!({ "offer": offer.to_string(), "decision": decision.name() }))
        }
        Event::Turned(offer, turned) => {
            event("turned", json!({ "offer": offer.to_string(), "refusal": refusal(*turned) }))
        }
        Event::Ended(offer, end) => {
            let (name, fields) = of_end(end);
            event(name, merge(json!({ "offer": offer.to_string() }), fields))
        }
        Event::Notice(code, words) => {
            event("notice", json!({ "code": snake(&format!("{code:?}")), "text": text(words) }))
        }
        Event::Locking => event("locking", json!({})),
        Event::NotLocked(turned) => event("not_locked", json!({ "refusal": refusal(*turned) })),
        Event::Alarm(alarm) => event("alarm", json!({ "text": alarm.to_string() })),
        Event::Revoked => event("revoked", json!({})),
    }
}

/// A verified receipt is `receipt`; what was only told or noticed has names of its own.
fn of_end(end: &End) -> (&'static str, Value) {
    match end {
        End::Released(decision) => {
            ("receipt", json!({ "outcome": "released", "decision": decision.name(), "verified": true }))
        }
        End::Unreleased(decision) => {
            ("receipt", json!({ "outcome": "unreleased", "decision": decision.name(), "verified": true }))
        }
        End::Dismissed => ("receipt", json!({ "outcome": "dismissed", "verified": true })),
        End::AlreadySettled(by) => {
            ("receipt", json!({ "outcome": "already_settled", "by": text(by), "verified": true }))
        }
        End::Refused(turned) => {
            ("receipt", json!({ "outcome": "refused", "refusal": refusal(*turned), "verified": true }))
        }
        End::Closed(how, by) => ("closed", json!({ "how": closed(*how), "by": text(by) })),
        End::Expired => ("expired", json!({})),
        End::Unconfirmed(decision) => ("unconfirmed", json!({ "decision": decision.name() })),
        End::Gone => ("gone", json!({})),
        End::Changed => ("changed", json!({})),
    }
}

fn of_outcome(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Released(decision) => json!({ "outcome": "released", "decision": decision.name() }),
        Outcome::Unreleased(decision) => json!({ "outcome": "unreleased", "decision": decision.name() }),
        Outcome::Dismissed => json!({ "outcome": "dismissed" }),
        Outcome::AlreadySettled(by) => json!({ "outcome": "already_settled", "by": text(&by.shown()) }),
        Outcome::Refused(code) => json!({ "outcome": "refused", "code": code }),
    }
}

fn refusal(Turned(refusal): Turned) -> Value {
    refusal.map_or(Value::from("refused"), |refusal| Value::from(refusal.name()))
}

const fn closed(how: Closed) -> &'static str {
    match how {
        Closed::Allowed => "allowed",
        Closed::Denied => "denied",
        Closed::HandedBack => "handed_back",
        Closed::Withdrawn => "withdrawn",
        Closed::Superseded => "superseded",
        Closed::Locked => "locked",
    }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
