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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::envelope::split;

    fn parts(msg: u64, length: usize) -> Vec<Part> {
        let body = (0..length).map(|n| u8::try_from(n % 251).unwrap()).collect();
        split(msg, &RawMessage::new(0x10, body)).unwrap()
    }

    #[test]
    fn a_part_that_does_not_fit_the_others_ends_its_message() {
        type Change = fn(&mut Part);
        let changes: [(&str, Change); 3] = [
            ("another type", |part| part.kind = 0x11),
            ("another number of parts", |part| part.parts = 4),
            ("the same place, other bytes", |part| *part = Part { part: 0, ..part.clone() }),
        ];
        for (what, change) in changes {
            let mut assembler = Assembler::default();
            let mut parts = parts(7, 70_000);
            change(&mut parts[1]);
            assert_eq!(assembler.push(parts[0].clone(), 0), Ok(None), "{what}");
            assert_eq!(assembler.push(parts[1].clone(), 0), Err(Refusal::Malformed), "{what}");
            assert_eq!(assembler.push(parts[2].clone(), 0), Ok(None), "{what}: nothing of it was kept");
        }
    }

    #[test]
    fn nine_full_parts_are_more_than_a_message_may_be() {
        let mut assembler = Assembler::default();
        let full = parts(1, 70_000).swap_remove(0);
        let pushed = (0..9).map(|part| assembler.push(Part { part, parts: 9, ..full.clone() }, 0));
        assert_eq!(pushed.last(), Some(Err(Refusal::TooBig)));
    }

    #[test]
    fn a_message_whose_parts_take_ten_seconds_is_dropped() {
        let mut assembler = Assembler::default();
        let parts = parts(1, 40_000);
        assert_eq!(assembler.push(parts[0].clone(), 1_000), Ok(None));
        assert!(matches!(assembler.push(parts[1].clone(), 10_999), Ok(Some(_))));
        assert_eq!(assembler.push(parts[0].clone(), 1_000), Ok(None));
        assert_eq!(assembler.push(parts[1].clone(), 11_000), Ok(None));
    }

    #[test]
    fn a_third_open_message_takes_the_place_of_the_oldest() {
        let mut assembler = Assembler::default();
        let all = [parts(1, 40_000), parts(2, 40_000), parts(3, 40_000)];
        for (at, parts) in all.iter().enumerate() {
            assert_eq!(assembler.push(parts[0].clone(), at as u64), Ok(None));
        }
        assert!(matches!(assembler.push(all[1][1].clone(), 5), Ok(Some(_))));
        assert!(matches!(assembler.push(all[2][1].clone(), 5), Ok(Some(_))));
        assert_eq!(assembler.push(all[0][1].clone(), 5), Ok(None));
    }

    #[test]
    fn a_message_of_one_part_needs_no_place() {
        let mut assembler = Assembler::default();
        assembler.push(parts(1, 40_000).swap_remove(0), 0).unwrap();
        assembler.push(parts(2, 40_000).swap_remove(0), 0).unwrap();
        assert!(matches!(assembler.push(parts(3, 10).swap_remove(0), 0), Ok(Some(_))));
        assert_eq!(assembler.open.len(), 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn parts_in_any_order_with_repeats_give_the_message_once(
            length in 0usize..limits::MESSAGE - 2,
            order in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let parts = parts(3, length);
            let mut assembler = Assembler::default();
            let mut missing: std::collections::BTreeSet<u16> = (0..parts[0].parts).collect();
            let whole = order.iter().map(|index| index.index(parts.len())).chain(0..parts.len());
            for at in whole {
                missing.remove(&parts[at].part);
                let pushed = assembler.push(parts[at].clone(), 0).unwrap();
                prop_assert_eq!(pushed.is_some(), missing.is_empty());
                if let Some(message) = pushed {
                    prop_assert_eq!(message.body.len(), length);
                    prop_assert_eq!(split(3, &message).unwrap(), parts);
                    break;
                }
            }
        }

        #[test]
        fn no_parts_however_odd_make_a_message_too_big_or_keep_more_than_two(
            parts in proptest::collection::vec((0u64..4, 0u16..12, 0u16..12, 0u16..2, 0usize..32_000), 0..60),
        ) {
            let mut assembler = Assembler::default();
            for (msg, part, parts, kind, length) in parts {
                let bytes = Part { msg, part, parts, kind, body: vec![1; length] }.encode();
                let Ok(part) = Part::parse(&bytes) else { continue };
                if let Ok(Some(message)) = assembler.push(part, 0) {
                    prop_assert!(message.body.len() + 2 <= limits::MESSAGE);
                }
                prop_assert!(assembler.open.len() <= limits::ASSEMBLING);
            }
        }
    }
}
