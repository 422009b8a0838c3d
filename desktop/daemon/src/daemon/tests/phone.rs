//! A paired phone, its couriers left out: what it says goes in as from a live session, what it is told is what the loop
//! wants carried.

use countersign_core::{
    approver::{KeyStrength, NewApprover},
    command::Report,
    input::Input,
};
use countersign_ipc::control::{
    ControlReply, ControlRequest, LogReport, Outcome as End, PhoneState, PhoneWhich,
};
use countersign_proto::{
    domain,
    id::{ChannelId, DesktopId, DeviceId},
    key::{AgreementKey, AgreementPublic, BioKey, Secret32, SigningKey, VerifyingKey},
    message::{Message, OfferMessage},
    pairing::{derive_desktop_id, derive_device_id},
    receipt::{Outcome, Receipt, SignedReceipt},
    reply::{Decision, Reply, SignedReply},
    session::{PairRecord, Suite},
    text::Foreign,
};
use p256::{
    ecdsa::{DerSignature, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};

use super::{super::Way, stage::*};
use crate::{
    errand::Errand,
    store::{Pairing, Relay},
};

struct Phone {
    desktop_key: VerifyingKey,
    desktop: DesktopId,
    device_key: SigningKey,
    bio: p256::ecdsa::SigningKey,
}

impl Phone {
    fn new(way: &Way) -> Self {
        let mut scalar = [0; 32];
        scalar[31] = 7;
        let desktop_key = way.store.desktop().public();
        Self {
            desktop_key,
            desktop: derive_desktop_id(&desktop_key),
            device_key: SigningKey::from_seed(&[5; 32]),
            bio: p256::ecdsa::SigningKey::from_slice(&scalar).unwrap(),
        }
    }

    fn id(&self) -> DeviceId {
        derive_device_id(&self.desktop, &self.device_key.public())
    }

    fn approver(&self) -> NewApprover {
        let spki = self.bio.verifying_key().to_public_key_der().unwrap();
        NewApprover {
            device_id: self.id(),
            name: Foreign::new("demo phone"),
            model: Foreign::new("test"),
            device_key: self.device_key.public(),
            bio_key: BioKey::from_spki_der(spki.as_bytes()).unwrap(),
            strength: KeyStrength::Demo,
            chain: vec![vec![1, 2, 3]],
            paired_wall_ms: 1_800_000_000_000,
        }
    }

    fn pairing(&self) -> Pairing {
        Pairing {
            record: PairRecord {
                suite: Suite::X25519,
                channel: ChannelId::new([5; 16]),
                desktop_id: self.desktop,
                device_id: self.id(),
                own: AgreementKey::from_bytes([6; 32]),
                peer: AgreementPublic::new([7; 32]),
                psk: Secret32::new([8; 32]),
            },
            relay: Relay { host: "127.0.0.1:7700".into(), pin: None, plain: true },
            relay_key: SigningKey::from_seed(&[9; 32]),
            phone_relay_key: SigningKey::from_seed(&[10; 32]).public(),
        }
    }

    async fn pair(&self, way: &mut Way) {
        let outcome =
            way.handle.pair(Box::new(self.approver()), [1; 32], Box::new(self.pairing())).await.unwrap();
        assert_eq!(outcome.report, Some(Report::Done));
        let met = way.errands.recv().await.unwrap();
        assert!(matches!(met, Errand::Meet(pairing) if pairing.record.device_id == self.id()));
    }

    async fn live(&self, way: &Way) {
        way.handle.tell(Input::SessionLive(self.id())).await.unwrap();
    }

    async fn say(&self, way: &Way, message: Message) {
        let input = Input::Phone { device: self.id(), message, recall: Default::default() };
        way.handle.tell(input).await.unwrap();
    }

    fn reply(&self, offer: &OfferMessage, decision: Decision, counter: u64) -> SignedReply {
        let opened = offer.signed.open(&self.desktop_key, &self.desktop, &self.id()).unwrap();
        let reply = Reply {
            v: Reply::VERSION,
            desktop_id: self.desktop,
            device_id: self.id(),
            offer_id: opened.offer().offer_id,
            offer_hash: opened.hash(),
            decision,
            counter,
            payload: None,
            phone_time: 0,
        };
        let bytes = reply.encode();
        let sig = self.device_key.sign(domain::REPLY_DEVICE, &[&bytes]);
        let sig_bio = decision.needs_bio().then(|| {
            let der: DerSignature = self.bio.sign(&domain::sig(domain::REPLY_BIO, &[&bytes]));
            der.as_bytes().to_vec()
        });
        SignedReply { bytes, sig, sig_bio }
    }
}

/// The next thing the loop wants carried that is an offer.
async fn offer(way: &mut Way) -> OfferMessage {
    loop {
        if let Errand::Send { message, .. } = way.errands.recv().await.unwrap()
            && let Message::Offer(offer) = *message
        {
            return offer;
        }
    }
}

async fn signed_receipt(way: &mut Way) -> SignedReceipt {
    loop {
        if let Errand::Send { message, .. } = way.errands.recv().await.unwrap()
            && let Message::Receipt(receipt) = *message
        {
            return receipt;
        }
    }
}

async fn receipt(way: &mut Way, phone: &Phone) -> Receipt {
    signed_receipt(way).await.open(&phone.desktop_key, &phone.desktop, &phone.id()).unwrap()
}

async fn paired() -> (Desk, Way, Phone) {
    let (desk, mut way) = Desk::with_way(tempfile::tempdir().unwrap()).await;
    let phone = Phone::new(&way);
    phone.pair(&mut way).await;
    phone.live(&way).await;
    (desk, way, phone)
}

/// A call in a project that a demo daemon answers for.
fn call(desk: &Desk, command: &str) -> serde_json::Value {
    let mut call = bash("s", command);
    call["cwd"] = desk.folder.path().to_str().unwrap().into();
    call
}

async fn report(way: &Way) -> LogReport {
    crate::log::verify(&way.store).await.unwrap()
}

#[tokio::test]
async fn a_phones_signed_yes_reaches_the_agent_and_its_receipt_says_so_after_a_restart_too() {
    let (desk, mut way, phone) = paired().await;
    let hook = desk.hook(&call(&desk, "echo hi"), 0).await;
    let offer = offer(&mut way).await;
    let reply = phone.reply(&offer, Decision::ApproveOnce, 1);
    phone.say(&way, Message::Reply(reply.clone())).await;
    assert!(hook.answer().await.contains("allow"));
    let first = signed_receipt(&mut way).await;
    let opened = first.open(&phone.desktop_key, &phone.desktop, &phone.id()).unwrap();
    assert_eq!(opened.outcome, Outcome::Released(Decision::ApproveOnce));

    // The same bytes again change nothing and get the stored receipt, in this run and in the next.
    phone.say(&way, Message::Reply(reply.clone())).await;
    assert_eq!(signed_receipt(&mut way).await, first);
    assert_eq!(desk.log().await, ["started", "paired", "asked", "allowed", "released"]);
    let whole = report(&way).await;
    assert_eq!(
        (whole.problems, whole.signatures),
        (Vec::new(), 5),
        "two of the reply, the offer's, the receipt's, the first checkpoint's"
    );
    drop(way);
    let (desk, mut way) = Desk::with_way(desk.end().await).await;
    phone.live(&way).await;
    phone.say(&way, Message::Reply(reply)).await;
    assert_eq!(signed_receipt(&mut way).await, first);
    desk.verify().await;
}

#[tokio::test]
async fn a_reply_of_an_earlier_run_is_refused_as_such() {
    let (desk, mut way, phone) = paired().await;
    let hook = desk.hook(&call(&desk, "echo hi"), 0).await;
    let reply = phone.reply(&offer(&mut way).await, Decision::ApproveOnce, 1);
    drop(way);
    let folder = desk.end().await;
    hook.silence().await;
    let (_desk, mut way) = Desk::with_way(folder).await;
    phone.live(&way).await;
    phone.say(&way, Message::Reply(reply)).await;
    let refused = receipt(&mut way, &phone).await;
    assert_eq!(refused.outcome, Outcome::Refused(countersign_proto::Refusal::WrongRun.code()));
}

#[tokio::test]
async fn a_revoked_phone_is_forgotten_and_nothing_it_signed_counts() {
    let (desk, mut way, phone) = paired().await;
    let hook = desk.hook(&call(&desk, "echo hi"), 0).await;
    let reply = phone.reply(&offer(&mut way).await, Decision::ApproveOnce, 1);
    let mut client = desk.client().await;
    let which = PhoneWhich::One(phone.id().to_string());
    let ControlReply::Revoked { phones } = client.ask(ControlRequest::PhonesRevoke { which }).await else {
        panic!()
    };
    assert_eq!((phones.len(), phones[0].state), (1, PhoneState::Revoked));
    while !matches!(way.errands.recv().await.unwrap(), Errand::Forget(device) if device == phone.id()) {}
    assert!(way.store.pairings().await.unwrap().is_empty());
    assert_eq!(way.store.channel_ends().await.unwrap().len(), 1);
    phone.say(&way, Message::Reply(reply)).await;
    let waiting = client.ask(ControlRequest::Pending {}).await;
    assert!(matches!(waiting, ControlReply::Pending { cards } if cards.len() == 1), "the desk still decides");
    let ControlReply::Closed { endings } = client.ask(ControlRequest::Release { request_id: None }).await
    else {
        panic!()
    };
    assert_eq!(endings[0].outcome, End::HandedOff);
    hook.silence().await;
}

#[tokio::test]
async fn a_pairing_whose_transaction_fails_leaves_no_phone_and_no_secret() {
    let (_desk, way) = Desk::with_way(tempfile::tempdir().unwrap()).await;
    let phone = Phone::new(&way);
    way.store.faults().fail(3);
    let paired = way.handle.pair(Box::new(phone.approver()), [1; 32], Box::new(phone.pairing())).await;
    assert_eq!(paired.unwrap().report, Some(Report::NotStored));
    assert!(way.store.pairings().await.unwrap().is_empty());
    assert!(way.store.approvers().await.unwrap().is_empty());
}

/// What somebody changed behind the daemon's back is found, whatever it is.
#[tokio::test]
async fn a_log_that_was_tampered_with_does_not_verify() {
    let tampering = [
        ("UPDATE audit SET bytes = x'a0' WHERE seq = 3", "can't be read"),
        ("DELETE FROM audit WHERE seq = 3", "missing"),
        ("UPDATE audit SET hash = zeroblob(32) WHERE seq = 2", "not its own"),
        ("DELETE FROM audit WHERE seq > 4", "cut or rewritten"),
        ("UPDATE checkpoints SET seq = 2 WHERE seq > 1", "not signed by this desktop"),
        ("UPDATE decisions SET answer = 'deny'", "decision on request"),
        ("DELETE FROM decisions", "is not stored"),
        ("UPDATE replies SET counter = 2", "does not speak of reply 2"),
        ("DELETE FROM replies", "stands in the log and is not stored"),
        ("UPDATE requests SET binding = zeroblob(32)", "does not speak of request"),
        ("UPDATE offers SET hash = zeroblob(32)", "bound to other bytes"),
        ("UPDATE receipts SET signed = (SELECT signed FROM checkpoints LIMIT 1)", "receipt"),
    ];
    let (desk, mut way, phone) = paired().await;
    let hook = desk.hook(&call(&desk, "echo hi"), 0).await;
    let reply = phone.reply(&offer(&mut way).await, Decision::ApproveOnce, 1);
    phone.say(&way, Message::Reply(reply)).await;
    hook.answer().await;
    receipt(&mut way, &phone).await;
    drop(way);
    let folder = desk.end().await;
    for (sql, found) in tampering {
        let copy = tempfile::tempdir().unwrap();
        let state = copy.path().join("state");
        countersign_ipc::folder::make(&state).unwrap();
        for file in ["countersign.db", "master.key"] {
            std::fs::copy(folder.path().join("state").join(file), state.join(file)).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(state.join(file), mode).unwrap();
        }
        tamper(&state.join("countersign.db"), sql).await;
        let store = crate::store::Store::open(&state).await.unwrap();
        let report = crate::log::verify(&store).await.unwrap();
        assert!(
            report.problems.iter().any(|problem| problem.contains(found)),
            "{sql}: {:?}",
            report.problems
        );
    }
}

async fn tamper(file: &std::path::Path, sql: &'static str) {
    use sqlx::Connection as _;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).foreign_keys(false);
    let mut database = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    let triggers: Vec<String> = sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .fetch_all(&mut database)
        .await
        .unwrap();
    for trigger in triggers {
        let drop = sqlx::AssertSqlSafe(format!("DROP TRIGGER {trigger}"));
        sqlx::query(drop).execute(&mut database).await.unwrap();
    }
    sqlx::query(sql).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
}
