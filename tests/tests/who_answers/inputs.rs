//! One of every input there is, so that a test can feed them all. A new input or message stops the build here.

use countersign_core::{
    draft::{EndedCall, Observed},
    input::{Accept, Before, Choice, Click, HookGone, HookId, Input, Recall, SurfaceId, TxId, Which},
    policy::{ConsentId, TextKind, builtin},
    rule::RuleId,
    settings::Strict,
};
use countersign_proto::{
    id::{DesktopId, DeviceId, Hash, OfferId, RequestId, RunId},
    message::{
        Closed, GetOffer, Hello, Message, Notice, NoticeCode, OfferClosed, Ping, RequestOffer, Revoked,
        Welcome,
    },
    offer::SignedOffer,
    receipt::{Outcome, Receipt},
    reply::{Decision, Reply},
    text::Foreign,
};
use countersign_tests::desk::{Desk, Pocket, Signing, desktop_key, draft};

/// Gives an input the ids of a real waiting request, so that it concerns something.
pub fn with_ids(
    input: Input,
    pocket: &Pocket,
    hook: HookId,
    request: RequestId,
    offer: &SignedOffer,
) -> Input {
    match input {
        Input::HookGone { why, .. } => Input::HookGone { hook, why },
        Input::Delivered { written, .. } => Input::Delivered { hook, written },
        Input::Rederived { draft, request_id, seed, .. } => {
            Input::Rederived { request, draft, request_id, seed }
        }
        Input::Phone { message, recall, .. } => {
            let message = match message {
                Message::GetOffer(_) => {
                    let offer_id = pocket.open(offer).expect("its own").offer().offer_id;
                    Message::GetOffer(GetOffer { offer_id })
                }
                other => other,
            };
            Input::Phone { device: pocket.device, message, recall }
        }
        Input::Deny(Which::One(_)) => Input::Deny(Which::One(request)),
        Input::Release(Which::One(_)) => Input::Release(Which::One(request)),
        Input::Revoke(_) => Input::Revoke(pocket.device),
        Input::Unsuspend(_) => Input::Unsuspend(pocket.device),
        Input::SessionLive(_) => Input::SessionLive(pocket.device),
        Input::SessionOver(_) => Input::SessionOver(pocket.device),
        Input::PhoneGarbage { .. } => Input::PhoneGarbage { device: pocket.device },
        other => other,
    }
}

/// One of each input.
pub fn every_input() -> Vec<Input> {
    let device = DeviceId::new([0; 16]);
    let request = RequestId::new([0; 16]);
    let binding = Hash::new([0; 32]);
    let surface = SurfaceId(1);
    let session = draft("s1", "x").session;
    let pocket = Pocket::make("nobody's phone", &desktop_key());
    let before = Before {
        hook: HookId(77),
        draft: draft("s1", "make deploy"),
        silence_runs: true,
        arrived_boot_ms: 0,
    };
    let mut inputs = vec![
        Input::Before(Box::new(before)),
        Input::HookGone { hook: HookId(0), why: HookGone::Closed },
        Input::HookGone { hook: HookId(0), why: HookGone::AgentGone },
        Input::Fronted { surface, request, binding, seen_to_end: true },
        Input::SurfaceGone(surface),
        Input::Click(Click { surface, request, binding, choice: Choice::AllowOnce }),
        Input::Click(Click { surface, request, binding, choice: Choice::Deny { note: Some("no".into()) } }),
        Input::Click(Click { surface, request, binding, choice: Choice::HandOff }),
        Input::Deny(Which::All),
        Input::Deny(Which::One(request)),
        Input::Release(Which::All),
        Input::Release(Which::One(request)),
        Input::Lock,
        Input::Unlock,
        Input::PhoneGarbage { device },
        Input::SessionLive(device),
        Input::SessionOver(device),
        Input::Paired { approver: Box::new(pocket.approver()), seed: [1; 32] },
        Input::PairingFailed { why: "the code was wrong twice" },
        Input::Revoke(device),
        Input::Unsuspend(device),
        Input::Committed(TxId(1)),
        Input::Committed(TxId(99)),
        Input::CommitFailed(TxId(99)),
        Input::Rederived {
            request,
            draft: Some(Box::new(draft("s1", "make deploy"))),
            request_id: RequestId::new([4; 16]),
            seed: [2; 32],
        },
        Input::Rederived { request, draft: None, request_id: RequestId::new([4; 16]), seed: [2; 32] },
        Input::Delivered { hook: HookId(0), written: true },
        Input::Delivered { hook: HookId(0), written: false },
        Input::RemoveRule(RuleId([1; 16])),
        Input::ResumeRule(RuleId([1; 16])),
        // What widens for calls to come answers none that waits.
        accept(TextKind::Lines, "allow read\nallow write\nallow external\nallow command make *\n"),
        accept(TextKind::Permission, r#"{"permission": "allow"}"#),
        accept(TextKind::GreenReads, builtin::text(TextKind::GreenReads).unwrap_or_default()),
        accept(TextKind::GreenWrites, builtin::text(TextKind::GreenWrites).unwrap_or_default()),
        Input::RevokeConsent(ConsentId([1; 16])),
        Input::Strict { what: Strict::Agent("claude".to_owned()), is_strict: true },
        Input::Strict { what: Strict::Agent("claude".to_owned()), is_strict: false },
        Input::Pause(true),
        Input::Pause(false),
        Input::Protect { branch: "release".to_owned(), is_protected: true },
        Input::Protect { branch: "main".to_owned(), is_protected: false },
        Input::LiftEnv { project: "/home/ada/site".to_owned(), is_lifted: true },
        Input::AcceptRisk("LD_PRELOAD is set".to_owned()),
        Input::Click(Click { surface, request, binding, choice: Choice::Always(0) }),
        Input::Tick,
        Input::Shutdown,
    ];
    let ended = EndedCall {
        tool: Foreign::new("Bash"),
        raw: draft("s1", "make deploy").raw,
        input_hash: draft("s1", "make deploy").input_hash,
        id: None,
        ran: true,
    };
    for what in [
        Observed::Started { folder: b"/home/ada/site".to_vec() },
        Observed::Ended { calls: vec![ended], subagent: None },
        Observed::MovedOn,
        Observed::AnsweredInTerminal,
        Observed::SessionOver,
    ] {
        inputs.push(Input::Observed { session: session.clone(), what });
    }
    inputs.extend(every_message().into_iter().map(|message| Input::Phone {
        device,
        message,
        recall: Recall { offer_run: Some(RunId::new([5; 16])), receipt: None },
    }));
    inputs
}

fn accept(kind: TextKind, text: &str) -> Input {
    let id = ConsentId([kind as u8; 16]);
    let accept = Accept { id, kind, text: text.to_owned(), folder: None, instead_of: None };
    Input::Accept(Box::new(accept))
}

/// One message of each type a phone could send, as it would be without a valid signature.
fn every_message() -> Vec<Message> {
    let key = countersign_proto::key::SigningKey::from_seed(&[0xbb; 32]);
    let desktop = desktop_key();
    let pocket = Pocket::make("nobody's phone", &desktop_key());
    let reply = Reply {
        v: 1,
        desktop_id: DesktopId::new([0; 32]),
        device_id: pocket.device,
        offer_id: OfferId::new([0; 16]),
        offer_hash: Hash::new([0; 32]),
        decision: Decision::ApproveOnce,
        counter: 1,
        payload: None,
        phone_time: 0,
    };
    let receipt = Receipt {
        v: 1,
        desktop_id: DesktopId::new([0; 32]),
        device_id: pocket.device,
        offer_id: None,
        reply: Hash::new([0; 32]),
        outcome: Outcome::Released(Decision::ApproveOnce),
        wall_ms: 0,
    };
    let head = countersign_core::audit::Head::empty(countersign_proto::id::LogId::new([0; 16]));
    let checkpoint = head.checkpoint(&desktop, countersign_core::clock::Now::new(0, 0));
    let revoked = Revoked { v: 1, desktop_id: DesktopId::new([0; 32]), device_id: pocket.device };
    let mut desk = Desk::fresh();
    let other = desk.pair("another phone");
    let (_, request) = desk.ask("s1", "make deploy");
    let offer = desk.offer(other.device, request).expect("offered");
    let mut locker = pocket.clone();
    let all = vec![
        Message::Hello(Hello { app: Foreign::new("x"), versions: vec![1], counter: 0, head: None }),
        Message::Welcome(Welcome { counter: 0, checkpoint: None, open: Vec::new() }),
        Message::Ping(Ping { nonce: 1, pong: false }),
        Message::Offer(offer),
        Message::Reply(pocket.sign(&reply, Signing::Both)),
        Message::GetOffer(GetOffer { offer_id: OfferId::new([0; 16]) }),
        Message::RequestOffer(RequestOffer { request_id: RequestId::new([0; 16]) }),
        locker.lock(),
        Message::Receipt(receipt.sign(&desktop)),
        Message::OfferClosed(OfferClosed {
            offer_id: OfferId::new([0; 16]),
            how: Closed::Allowed,
            by: Foreign::new("somebody"),
        }),
        Message::AuditHead(checkpoint),
        Message::Notice(Notice { code: NoticeCode::Unlocked, text: Foreign::new("unlocked") }),
        Message::Revoked(revoked.sign(&key)),
    ];
    for message in &all {
        // A new message type stops the build here until it is in the list above.
        match message {
            Message::Hello(_)
            | Message::Welcome(_)
            | Message::Ping(_)
            | Message::Offer(_)
            | Message::Reply(_)
            | Message::GetOffer(_)
            | Message::RequestOffer(_)
            | Message::Lock(_)
            | Message::Receipt(_)
            | Message::OfferClosed(_)
            | Message::AuditHead(_)
            | Message::Notice(_)
            | Message::Revoked(_) => {}
        }
    }
    all
}
