//! Writes pairings down: one tale an end, each step with its result.

use super::*;

/// One end's steps so far.
pub(super) struct Tale {
    side: &'static str,
    end: End,
    steps: Vec<Value>,
}

impl Tale {
    pub(super) fn new(side: &'static str) -> Self {
        Self { side, end: End::new(side), steps: Vec::new() }
    }

    /// Takes a step that succeeds and gives its result.
    pub(super) fn step(&mut self, mut step: Value) -> Value {
        let result = self.end.run(&step).unwrap();
        step.as_object_mut().unwrap().insert("result".into(), result.clone());
        self.steps.push(step);
        result
    }

    pub(super) fn receive(&mut self, envelope: &[u8]) -> Value {
        self.step(receive(envelope, 0))
    }

    pub(super) fn end(self, name: &str) -> Value {
        json!({ "name": name, "end": self.side, "steps": self.steps })
    }

    /// Ends with an envelope that is dropped.
    pub(super) fn refused(mut self, name: &str, step: Value, refusal: Refusal) -> Value {
        self.steps.push(step);
        json!({ "name": name, "end": self.side, "steps": self.steps, "refusal": refusal.name() })
    }

    /// Ends with a step that ends the pairing.
    pub(super) fn failed(mut self, name: &str, step: Value, failure: &str) -> Value {
        let result = self.step(step);
        assert_eq!(result, json!({ "failed": failure }), "{name}");
        json!({ "name": name, "end": self.side, "steps": self.steps, "failure": failure })
    }

    /// Ends with a step that is answered by a word.
    pub(super) fn answered(mut self, name: &str, step: Value, word: &str) -> Value {
        let result = self.step(step);
        assert_eq!(result, json!(word), "{name}");
        json!({ "name": name, "end": self.side, "steps": self.steps })
    }
}

pub(super) fn receive(envelope: &[u8], ms: u64) -> Value {
    json!({ "do": "receive", "ms": ms, "envelope": hex(envelope) })
}

pub(super) fn judge(verdict: &str) -> Value {
    json!({ "do": "judge", "ms": 0, "verdict": verdict })
}

pub(super) fn type_code(code: &str, ms: u64) -> Value {
    json!({ "do": "type", "ms": ms, "code": code })
}

pub(super) fn sent_in(result: &Value) -> Vec<u8> {
    bytes(result, "send")
}

/// A code that is not this one.
pub(super) fn wrong(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

/// As far as message 2.
pub(super) fn until_terms(desktop: &mut Tale, phone: &mut Tale) -> Vec<u8> {
    let opening = phone.step(json!({ "do": "start", "ms": 0 }));
    sent_in(&desktop.receive(&sent_in(&opening)))
}

/// As far as message 3, with the code.
pub(super) fn until_enrolment(desktop: &mut Tale, phone: &mut Tale) -> (Vec<u8>, String) {
    let terms = until_terms(desktop, phone);
    phone.receive(&terms);
    let shown = phone.step(json!({ "do": "bio_key", "ms": 0, "leaf": hex(LEAF) }));
    (sent_in(&shown), text(&shown, "show").to_owned())
}

/// As far as the question for the code.
pub(super) fn until_code(desktop: &mut Tale, phone: &mut Tale) -> String {
    let (enrolment, code) = until_enrolment(desktop, phone);
    desktop.receive(&enrolment);
    desktop.step(judge("accepted"));
    code
}

/// As far as the finger, with the bytes to sign.
pub(super) fn until_finger(desktop: &mut Tale, phone: &mut Tale) -> Vec<u8> {
    let code = until_code(desktop, phone);
    let proof = sent_in(&desktop.step(type_code(&code, 0)));
    let asked = phone.receive(&proof);
    bytes(asked.get("sign_bio").unwrap(), "bytes")
}

/// As far as the phone's proof.
pub(super) fn until_proof(desktop: &mut Tale, phone: &mut Tale) -> Vec<u8> {
    let signed = until_finger(desktop, phone);
    sent_in(&phone.step(json!({ "do": "bio_signed", "ms": 0, "der": hex(finger(&signed)) })))
}

/// To the end.
pub(super) fn whole(desktop: &mut Tale, phone: &mut Tale) {
    let proof = until_proof(desktop, phone);
    desktop.receive(&proof);
    let done = sent_in(&desktop.step(json!({ "do": "stored", "ms": 0 })));
    phone.receive(&done);
}
