//! Whether what was answered without a card rests on something that stood then: a rule that was saved or a text that was
//! accepted earlier in the log, and that had not ended.

use std::collections::BTreeMap;

use countersign_core::audit::{Body, Event};

use super::words::hex;

/// What the entries so far say of rules and consents.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    known: BTreeMap<[u8; 16], Ground>,
}

#[derive(Debug, Clone, Copy)]
struct Ground {
    kind: Kind,
    stands: Stands,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In memory only, so that it ends with the daemon.
    SessionRule,
    Rule,
    Consent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    InForce,
    Suspended,
    Over,
}

impl Grounds {
    /// Takes the next entry; what is wrong with it, where something is.
    pub(super) fn note(&mut self, body: &Body) -> Option<String> {
        match body.event {
            Event::RuleSaved => {
                let note = body.note.as_ref().map_or("", |note| note.raw());
                let is_session = note.starts_with("for this session");
                self.begin(body, if is_session { Kind::SessionRule } else { Kind::Rule })
            }
            Event::Accepted => self.begin(body, Kind::Consent),
            Event::RuleRemoved | Event::ConsentEnded => self.turn(body, Stands::Over),
            Event::RuleSuspended => self.turn(body, Stands::Suspended),
            Event::RuleResumed => self.turn(body, Stands::InForce),
            Event::Started => {
                let of_sessions = self.known.values_mut().filter(|ground| ground.kind == Kind::SessionRule);
                of_sessions.for_each(|ground| ground.stands = Stands::Over);
                None
            }
            Event::Allowed => self.answered(body),
            Event::Denied if source(body) == "policy" && body.basis.is_some() => self.answered(body),
            _ => None,
        }
    }

    fn begin(&mut self, body: &Body, kind: Kind) -> Option<String> {
        let Some(id) = body.basis else {
            return Some(format!("an entry `{}` does not say which", body.event.name()));
        };
        let known = self.known.insert(id, Ground { kind, stands: Stands::InForce });
        known.map(|_| format!("{} was saved or accepted twice", hex(id)))
    }

    fn turn(&mut self, body: &Body, stands: Stands) -> Option<String> {
        let name = body.event.name();
        let Some(id) = body.basis else { return Some(format!("an entry `{name}` does not say which")) };
        match self.known.get_mut(&id) {
            Some(ground) if ground.stands != Stands::Over => {
                ground.stands = stands;
                None
            }
            Some(_) => Some(format!("an entry `{name}` is about {}, which was over", hex(id))),
            None => {
                Some(format!("an entry `{name}` is about {}, which was never saved or accepted", hex(id)))
            }
        }
    }

    /// An answer that names what it rests on, and an allow that has to.
    fn answered(&self, body: &Body) -> Option<String> {
        let needs_rule = match source(body) {
            "rule" => true,
            "green" | "policy" => false,
            // A person's own word on that very request.
            _ => return None,
        };
        let request = body.request.map(|id| id.to_string()).unwrap_or_default();
        let Some(id) = body.basis else {
            return Some(format!("the answer to request {request} does not say what it rests on"));
        };
        let why = match self.known.get(&id) {
            None => "was never saved or accepted",
            Some(ground) if (ground.kind == Kind::Consent) == needs_rule => "is of another kind",
            Some(ground) => match ground.stands {
                Stands::InForce => return None,
                Stands::Suspended => "was suspended then",
                Stands::Over => "was over then",
            },
        };
        Some(format!("the answer to request {request} rests on {}, which {why}", hex(id)))
    }
}

fn source(body: &Body) -> &str {
    body.source.as_ref().map_or("", |source| source.raw())
}

#[cfg(test)]
mod tests {
    use countersign_proto::{id::RequestId, text::Foreign};

    use super::*;

    fn about(event: Event, id: u8) -> Body {
        Body { basis: Some([id; 16]), ..Body::of(event) }
    }

    fn saved(id: u8, scope: &str) -> Body {
        let note = Some(Foreign::new(format!("for this {scope}: make all")));
        Body { note, ..about(Event::RuleSaved, id) }
    }

    fn allowed(source: &str, id: u8) -> Body {
        let (request, source) = (Some(RequestId::new([9; 16])), Some(Foreign::new(source)));
        Body { request, source, ..about(Event::Allowed, id) }
    }

    /// What is wrong with the last of these entries; all before it are fine.
    fn last(entries: Vec<Body>) -> String {
        let mut grounds = Grounds::default();
        let mut found: Vec<Option<String>> = entries.iter().map(|body| grounds.note(body)).collect();
        let last = found.pop().flatten().unwrap_or_default();
        assert!(found.iter().all(Option::is_none), "{found:?}");
        last
    }

    #[test]
    fn an_answer_rests_on_what_was_saved_or_accepted_before_it() {
        assert_eq!(last(vec![saved(1, "project"), allowed("rule", 1)]), "");
        assert_eq!(last(vec![about(Event::Accepted, 1), allowed("green", 1)]), "");
        assert_eq!(last(vec![about(Event::Accepted, 1), allowed("policy", 1)]), "");
        assert_eq!(last(vec![allowed("click", 1)]), "", "a click rests on nothing else");
        assert!(last(vec![allowed("rule", 1)]).contains("never saved"));
        assert!(last(vec![saved(2, "project"), allowed("rule", 1)]).contains("never saved"));
        assert!(last(vec![about(Event::Accepted, 1), allowed("rule", 1)]).contains("another kind"));
        assert!(last(vec![saved(1, "project"), allowed("policy", 1)]).contains("another kind"));
        let nameless = Body { basis: None, ..allowed("green", 1) };
        assert!(last(vec![about(Event::Accepted, 1), nameless]).contains("does not say what it rests on"));
    }

    #[test]
    fn what_ended_or_is_suspended_is_no_ground() {
        let accepted = || about(Event::Accepted, 1);
        let ended = vec![accepted(), about(Event::ConsentEnded, 1), allowed("policy", 1)];
        assert!(last(ended).contains("was over then"));
        let removed = vec![saved(1, "project"), about(Event::RuleRemoved, 1), allowed("rule", 1)];
        assert!(last(removed).contains("was over then"));
        let suspended = || vec![saved(1, "project"), about(Event::RuleSuspended, 1)];
        assert!(last([suspended(), vec![allowed("rule", 1)]].concat()).contains("was suspended then"));
        let resumed = vec![about(Event::RuleResumed, 1), allowed("rule", 1)];
        assert_eq!(last([suspended(), resumed].concat()), "");
        assert!(
            last(vec![accepted(), about(Event::ConsentEnded, 1), about(Event::ConsentEnded, 1)])
                .contains("which was over")
        );
    }

    #[test]
    fn a_rule_of_a_session_ends_with_the_daemon_and_one_of_a_project_does_not() {
        let after = |scope| vec![saved(1, scope), Body::of(Event::Started), allowed("rule", 1)];
        assert!(last(after("session")).contains("was over then"));
        assert_eq!(last(after("project")), "");
    }

    #[test]
    fn a_denial_by_a_line_of_the_persons_rests_on_its_text_and_one_by_roots_on_none() {
        let denied = |basis| Body { event: Event::Denied, basis, ..allowed("policy", 1) };
        assert_eq!(last(vec![denied(None)]), "");
        assert!(last(vec![denied(Some([1; 16]))]).contains("never saved"));
    }
}
