//! Arbitrary messages: every field of every kind, within the limits.

use countersign_proto::{
    checkpoint::Checkpoint,
    id::{DesktopId, DeviceId, Hash, LogId, OfferId, RequestId, RunId},
    limits,
    message::{Lock, Revoked},
    offer::Offer,
    receipt::{Outcome, Receipt},
    reply::{Decision, Payload, QuestionAnswer, Replies, Reply},
    request::{
        Agent, Always, Block, Class, Dependency, Diff, Judgement, Kind, Labelled, Level, Place, Question,
        Request, Session, Subagent, Why,
    },
    text::Foreign,
};
use proptest::{
    collection::vec,
    option::of,
    prelude::*,
    sample::{select, subsequence},
};

pub fn request() -> impl Strategy<Value = Request> {
    let told = (kind(), agent(), session(), folder(), text(), hash());
    let judged = (any::<u32>(), vec(block(), 0..6), judgement(), why(), any::<bool>(), place());
    let timed = (any::<u64>(), any::<u64>(), vec(always(), 0..3), replies());
    let traced = (of(subagent()), text(), of(folder()), text(), any::<bool>(), vec(dependency(), 0..3));
    (id16(), told, judged, timed, traced).prop_map(|(id, told, judged, timed, traced)| {
        let (kind, agent, session, folder, tool, raw) = told;
        let (view_version, view, judgement, why, taint, place) = judged;
        let (wall_ms, ttl_ms, always, replies) = timed;
        let (subagent, mode, start_folder, words, whole, depends) = traced;
        Request {
            v: Request::VERSION,
            id: RequestId::new(id),
            kind,
            agent,
            session,
            folder,
            tool,
            raw,
            view_version,
            view,
            judgement,
            why,
            taint,
            place,
            wall_ms,
            ttl_ms,
            always,
            replies,
            subagent,
            mode,
            start_folder,
            words,
            whole,
            depends,
        }
    })
}

pub fn offer() -> impl Strategy<Value = Offer> {
    let ids = (id16(), desktop_id(), device_id(), id16());
    (ids, any::<u64>(), request(), any::<u64>(), replies()).prop_map(
        |(ids, offer_seq, request, ttl_ms, allowed)| {
            let (offer_id, desktop_id, device_id, run_id) = ids;
            Offer {
                v: Offer::VERSION,
                offer_id: OfferId::new(offer_id),
                desktop_id,
                device_id,
                offer_seq,
                run_id: RunId::new(run_id),
                request: request.encode(),
                ttl_ms,
                allowed,
            }
        },
    )
}

/// Replies whose payload is of the decision's kind, as a phone makes them.
pub fn reply() -> impl Strategy<Value = Reply> {
    let choice = select(&Decision::ALL[..]).prop_flat_map(|decision| (Just(decision), payload(decision)));
    let ids = (desktop_id(), device_id(), id16(), hash());
    (ids, choice, 0..limits::COUNTER_END, any::<u64>()).prop_map(
        |(ids, (decision, payload), counter, phone_time)| {
            let (desktop_id, device_id, offer_id, offer_hash) = ids;
            Reply {
                v: Reply::VERSION,
                desktop_id,
                device_id,
                offer_id: OfferId::new(offer_id),
                offer_hash,
                decision,
                counter,
                payload,
                phone_time,
            }
        },
    )
}

pub fn receipt() -> impl Strategy<Value = Receipt> {
    let outcome = prop_oneof![
        select(&Decision::ALL[..]).prop_map(Outcome::Released),
        select(&Decision::ALL[..]).prop_map(Outcome::Unreleased),
        Just(Outcome::Dismissed),
        text().prop_map(Outcome::AlreadySettled),
        any::<u16>().prop_map(Outcome::Refused),
    ];
    let fields = (desktop_id(), device_id(), of(id16()), hash(), outcome, any::<u64>());
    fields.prop_map(|(desktop_id, device_id, offer_id, reply, outcome, wall_ms)| Receipt {
        v: Receipt::VERSION,
        desktop_id,
        device_id,
        offer_id: offer_id.map(OfferId::new),
        reply,
        outcome,
        wall_ms,
    })
}

pub fn lock() -> impl Strategy<Value = Lock> {
    (desktop_id(), device_id(), 0..limits::COUNTER_END).prop_map(|(desktop_id, device_id, counter)| Lock {
        v: 1,
        desktop_id,
        device_id,
        counter,
    })
}

pub fn revoked() -> impl Strategy<Value = Revoked> {
    (desktop_id(), device_id()).prop_map(|(desktop_id, device_id)| Revoked { v: 1, desktop_id, device_id })
}

pub fn checkpoint() -> impl Strategy<Value = Checkpoint> {
    (id16(), any::<u64>(), hash(), any::<u64>()).prop_map(|(log_id, seq, head, wall_ms)| Checkpoint {
        log_id: LogId::new(log_id),
        seq,
        head,
        wall_ms,
    })
}

fn payload(decision: Decision) -> BoxedStrategy<Option<Payload>> {
    let words = "[a-zà-ü0-9][ -~]{0,40}".prop_map(Foreign::new);
    let options = subsequence((0..16).collect::<Vec<u8>>(), 0..4);
    let answer = (options, of(words.clone())).prop_map(|(options, text)| QuestionAnswer { options, text });
    match decision {
        Decision::Deny | Decision::Dismiss | Decision::ApproveOnce | Decision::HandOff => Just(None).boxed(),
        Decision::DenyWithNote => words.prop_map(|note| Some(Payload::Note(note))).boxed(),
        Decision::ApproveAlways => {
            (any::<u8>(), hash()).prop_map(|(index, hash)| Some(Payload::Always(index, hash))).boxed()
        }
        Decision::Answer => {
            vec(answer, 1..=limits::QUESTIONS).prop_map(|answers| Some(Payload::Answers(answers))).boxed()
        }
        Decision::Grant | Decision::ServiceAction => {
            hash().prop_map(|hash| Some(Payload::Offered(hash))).boxed()
        }
    }
}

fn block() -> impl Strategy<Value = Block> {
    let diff = (text(), any::<bool>(), any::<u32>(), any::<u32>(), text());
    let diff =
        diff.prop_map(|(path, is_new, added, removed, lines)| Diff { path, is_new, added, removed, lines });
    let question = (text(), text(), vec(text(), 0..=limits::OPTIONS), any::<bool>());
    let question = question.prop_map(|(tag, text, options, many)| Question { tag, text, options, many });
    // Questions are rare, so that no view has more of them than the limit.
    prop_oneof![
        20 => text().prop_map(Block::Command),
        20 => diff.prop_map(Block::Diff),
        20 => text().prop_map(Block::File),
        20 => text().prop_map(Block::Url),
        20 => (text(), text()).prop_map(|(label, text)| Block::Text(Labelled { label, text })),
        1 => question.prop_map(Block::Question),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    select(vec![Kind::Tool, Kind::Question, Kind::ServiceAction, Kind::Grant])
}

fn agent() -> impl Strategy<Value = Agent> {
    (text(), text(), any::<u32>()).prop_map(|(id, version, adapter)| Agent { id, version, adapter })
}

fn session() -> impl Strategy<Value = Session> {
    (text(), text()).prop_map(|(id, title)| Session { id, title })
}

fn subagent() -> impl Strategy<Value = Subagent> {
    (text(), text(), text()).prop_map(|(id, kind, parent)| Subagent { id, kind, parent })
}

fn place() -> impl Strategy<Value = Place> {
    (text(), text()).prop_map(|(host, user)| Place { host, user })
}

fn judgement() -> impl Strategy<Value = Judgement> {
    let class = select(vec![
        Class::Read,
        Class::ReadExternal,
        Class::Write,
        Class::External,
        Class::Spend,
        Class::Destructive,
        Class::Guard,
        Class::Unknown,
    ]);
    let level = select(vec![Level::Green, Level::Yellow, Level::Red]);
    (class, level, vec(text(), 0..3), text()).prop_map(|(class, level, reasons, headline)| Judgement {
        class,
        level,
        reasons,
        headline,
    })
}

fn why() -> impl Strategy<Value = Why> {
    (1..=9_u8, text(), of(text())).prop_map(|(step, text, line)| Why { step, text, line })
}

fn always() -> impl Strategy<Value = Always> {
    (text(), text()).prop_map(|(scope, text)| Always { scope, text })
}

fn dependency() -> impl Strategy<Value = Dependency> {
    (text(), of(hash())).prop_map(|(path, hash)| Dependency { path, hash })
}

fn replies() -> impl Strategy<Value = Replies> {
    subsequence(&Decision::ALL[..], 0..=Decision::ALL.len()).prop_map(|decisions| Replies::of(&decisions))
}

/// Any text at all: limits on texts are those of the message around them.
fn text() -> impl Strategy<Value = Foreign> {
    any::<String>().prop_map(Foreign::new)
}

fn folder() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..40)
}

fn id16() -> impl Strategy<Value = [u8; 16]> {
    any::<[u8; 16]>()
}

fn desktop_id() -> impl Strategy<Value = DesktopId> {
    any::<[u8; 32]>().prop_map(DesktopId::new)
}

fn device_id() -> impl Strategy<Value = DeviceId> {
    id16().prop_map(DeviceId::new)
}

fn hash() -> impl Strategy<Value = Hash> {
    any::<[u8; 32]>().prop_map(Hash::new)
}
