//! Puts messages together from their parts: two at once, ten seconds each, in any order, repeats harmless.

use std::collections::BTreeMap;

use super::{Part, RawMessage};
use crate::{limits, refusal::Refusal};

/// Messages of one sender in one session that lack parts.
#[derive(Debug, Default)]
pub struct Assembler {
    open: BTreeMap<u64, Open>,
}

#[derive(Debug)]
struct Open {
    parts: u16,
    kind: u16,
    bodies: BTreeMap<u16, Vec<u8>>,
    since_ms: u64,
}

impl Assembler {
    /// Takes a part; gives the message when it was the last one missing. Where two messages are open already, the older
    /// one gives way: whoever waits for it asks again.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the part does not belong to the others of its message, [`Refusal::TooBig`] where the
    /// message grows beyond [`limits::MESSAGE`]. The message is then given up.
    pub fn push(&mut self, part: Part, boot_ms: u64) -> Result<Option<RawMessage>, Refusal> {
        self.drop_late(boot_ms);
        if part.parts == 1 && !self.open.contains_key(&part.msg) {
            return Ok(Some(RawMessage { kind: part.kind, body: part.body }));
        }
        self.make_room(part.msg);
        let msg = part.msg;
        let open = self.open.entry(msg).or_insert_with(|| Open::new(&part, boot_ms));
        let taken = open.take(part);
        let whole = matches!(taken, Ok(())) && open.bodies.len() == usize::from(open.parts);
        if taken.is_ok() && !whole {
            return Ok(None);
        }
        let open = self.open.remove(&msg);
        taken?;
        Ok(open.map(Open::join))
    }

    fn drop_late(&mut self, boot_ms: u64) {
        let life = u64::try_from(limits::ASSEMBLE.as_millis()).unwrap_or(u64::MAX);
        self.open.retain(|_, open| boot_ms.saturating_sub(open.since_ms) < life);
    }

    fn make_room(&mut self, msg: u64) {
        if self.open.len() < limits::ASSEMBLING || self.open.contains_key(&msg) {
            return;
        }
        let oldest = self.open.iter().min_by_key(|(msg, open)| (open.since_ms, **msg)).map(|(msg, _)| *msg);
        if let Some(oldest) = oldest {
            self.open.remove(&oldest);
        }
    }
}

impl Open {
    fn new(part: &Part, since_ms: u64) -> Self {
        Self { parts: part.parts, kind: part.kind, bodies: BTreeMap::new(), since_ms }
    }

    fn take(&mut self, part: Part) -> Result<(), Refusal> {
        if (part.parts, part.kind) != (self.parts, self.kind) {
            return Err(Refusal::Malformed);
        }
        if let Some(known) = self.bodies.get(&part.part) {
            return if *known == part.body { Ok(()) } else { Err(Refusal::Malformed) };
        }
        let length: usize = self.bodies.values().map(Vec::len).sum();
        if size_of::<u16>() + length + part.body.len() > limits::MESSAGE {
            return Err(Refusal::TooBig);
        }
        self.bodies.insert(part.part, part.body);
        Ok(())
    }

    fn join(self) -> RawMessage {
        RawMessage { kind: self.kind, body: self.bodies.into_values().flatten().collect() }
    }
}
