//! Cards on the desktop: where they are in front, and clicks on them (WHO-6).

use countersign_proto::{
    id::{Hash, RequestId},
    text::{Foreign, Shown},
};

use super::{Core, end::Decided, reply::Settling, transaction::Then};
use crate::{
    answer::Answer,
    audit::{Body, Event},
    authority::{Authority, BoundClick, ClickRefusal, Front},
    clock::Now,
    command::{Change, Report, Source, Verdict},
    input::{Choice, Click, SurfaceId},
};

impl Core {
    pub(super) fn fronted(
        &mut self,
        surface: SurfaceId,
        request: RequestId,
        binding: Hash,
        seen_to_end: bool,
        now: Now,
    ) {
        self.ledger.clear_fronts(surface, Some(request));
        let Some(pending) = self.ledger.get_mut(request).filter(|pending| pending.binding == binding) else {
            self.report(Report::Nothing);
            return;
        };
        let front =
            pending.fronts.entry(surface).or_insert(Front { since_boot_ms: now.boot_ms, seen_to_end: false });
        front.seen_to_end |= seen_to_end;
        self.changed(Change::Fronted(request));
        self.report(Report::Done);
    }

    pub(super) fn click(&mut self, click: Click, now: Now) {
        let Some(pending) = self.ledger.get(click.request) else {
            self.refuse_click(&click, ClickRefusal::NotWaiting, now);
            return;
        };
        match &click.choice {
            Choice::AllowOnce | Choice::Always(_) => {
                // An *Always* that the card did not offer is a plain yes (CARD-4).
                let remember = match click.choice {
                    Choice::Always(index) => Self::scope_at(pending, index),
                    Choice::AllowOnce | Choice::Deny { .. } | Choice::HandOff => None,
                };
                let drawn = pending.drawn(click.surface, self.locked);
                match BoundClick::check(&click, drawn, now.boot_ms) {
                    Ok(bound) => self.rederive(Settling::click(Authority::Click(bound), remember)),
                    Err(refusal) => self.refuse_click(&click, refusal, now),
                }
            }
            Choice::Deny { note } => {
                let answer = Answer::deny(note.as_deref());
                self.narrow_by_click(&click, Verdict::Deny, answer, note.as_deref(), now);
            }
            Choice::HandOff => self.narrow_by_click(&click, Verdict::Abstain, Answer::abstain(), None, now),
        }
    }

    /// A denial or a hand-off needs the id alone; it can't let anything pass.
    fn narrow_by_click(
        &mut self,
        click: &Click,
        verdict: Verdict,
        answer: Answer,
        note: Option<&str>,
        now: Now,
    ) {
        let mut tx = self.begin(now);
        let decided = Decided {
            answer,
            verdict,
            source: Source::Click,
            by: Shown::line("on the desktop"),
            winner: None,
            note: note.map(|note| Shown::line(note).into()),
            is_reported: true,
        };
        let partings = self.decide(&mut tx, click.request, decided).into_iter().collect();
        self.propose(tx, Then::End(partings, None));
    }

    fn refuse_click(&mut self, click: &Click, refusal: ClickRefusal, now: Now) {
        let mut tx = self.begin(now);
        tx.record(Body {
            request: Some(click.request),
            source: Some(Foreign::new("click")),
            note: Some(Foreign::new(refusal.to_string())),
            ..Body::of(Event::ClickRefused)
        });
        self.propose(tx, Then::Say(Report::Click(refusal)));
    }
}
