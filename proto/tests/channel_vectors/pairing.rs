//! `vectors/pairing.json`: whole pairings, each end alone against recorded inputs, and every way they must end badly.

mod bad;
mod forger;
mod tale;

use countersign_proto::{
    Refusal,
    id::ChannelId,
    key::{AgreementKey, Secret32, SigningKey},
    pairing::{
        AboutDesktop, AboutPhone, AttestationPolicy, Code, DesktopCommand, DesktopPairing, DesktopRandom,
        Link, Objection, Outgoing, PhoneCommand, PhonePairing, RelayHost, Ticket, TicketSecret,
    },
    text::Foreign,
};
use p256::ecdsa::{DerSignature, SigningKey as P256, signature::Signer as _};
use serde_json::{Value, json};

use self::tale::Tale;
use super::{Vectors, bytes, hex, list, name, number, text};

const LEAF: &[u8] = include_bytes!("../../vectors/approval_leaf.der");

#[test]
fn pairings_hold() {
    let vectors = Vectors { good: good(), bad: bad::all() }.pinned(
        "pairing.json",
        "Pairings (protocol.md 4). S is 16 bytes 0x01, the relay relay.example.org; D_x is 32 bytes 0x10, the seed of \
         D_sig 0x11, the desktop's ephemeral 0x12, n_d 0x13, challenge 0x14; P_x is 0x20, the seed of P_sig 0x21, of \
         R_p 0x22, n_p 0x23, the phone's ephemeral 0x30; the approval key's secret is 0x77, its certificate \
         approval_leaf.der. `end` says whose side takes the steps; each gives exactly its result. The last step of a \
         bad one must end in exactly this `refusal` (the envelope is dropped), `failure` (the pairing is over) or \
         result.",
    );
    for vector in vectors.good.iter().chain(&vectors.bad) {
        let name = text(vector, "name");
        let mut end = End::new(text(vector, "end"));
        let steps = list(vector, "steps");
        for (at, step) in steps.iter().enumerate() {
            let done = end.run(step);
            let refusal = vector.get("refusal").filter(|_| at + 1 == steps.len());
            match (done, refusal) {
                (Ok(result), None) => assert_eq!(Some(&result), step.get("result"), "{name}, step {at}"),
                (Err(refusal), Some(expected)) => assert_eq!(&json!(refusal.name()), expected, "{name}"),
                (done, _) => panic!("{name}, step {at}: {done:?}"),
            }
        }
        if let Some(failure) = vector.get("failure") {
            assert_eq!(
                steps.last().and_then(|step| step.get("result")),
                Some(&json!({ "failed": failure })),
                "{name}"
            );
        }
    }
}

/// Both ends, as one tale each: what the other one sends is its input.
fn good() -> Vec<Value> {
    let (mut desktop, mut phone) = (Tale::new("desktop"), Tale::new("phone"));
    tale::whole(&mut desktop, &mut phone);
    let (mut corrected, mut other) = (Tale::new("desktop"), Tale::new("phone"));
    let code = tale::until_code(&mut corrected, &mut other);
    corrected.step(json!({ "do": "type", "ms": 0, "code": tale::wrong(&code) }));
    corrected.step(json!({ "do": "type", "ms": 0, "code": code }));
    let (mut late, mut other) = (Tale::new("desktop"), Tale::new("phone"));
    let code = tale::until_code(&mut late, &mut other);
    late.step(json!({ "do": "type", "ms": 179_900, "code": code }));
    vec![
        desktop.end("a pairing, at the desktop"),
        phone.end("the same pairing, at the phone"),
        corrected.end("a code typed right the second time"),
        late.end("a code typed in the minute after the two"),
    ]
}

/// One end of a pairing, driven by steps.
enum End {
    Desktop(Box<DesktopPairing>),
    Phone(Box<PhonePairing>, Outgoing),
}

impl End {
    fn new(side: &str) -> Self {
        match side {
            "desktop" => {
                let own = AgreementKey::from_bytes([0x10; 32]);
                Self::Desktop(Box::new(DesktopPairing::start(ticket(), own, about_desktop(), 0)))
            }
            "phone" => {
                let (phone, opening) = PhonePairing::start(ticket(), about_phone(), secret(0x30), 0).unwrap();
                Self::Phone(Box::new(phone), opening)
            }
            other => panic!("{other}"),
        }
    }

    fn run(&mut self, step: &Value) -> Result<Value, Refusal> {
        let ms = number(step, "ms");
        match self {
            Self::Desktop(desktop) => run_desktop(desktop, step, ms),
            Self::Phone(phone, opening) => run_phone(phone, opening, step, ms),
        }
    }
}

fn run_desktop(desktop: &mut DesktopPairing, step: &Value, ms: u64) -> Result<Value, Refusal> {
    let key = d_sig();
    let command = match text(step, "do") {
        "receive" => Ok(desktop.receive(&bytes(step, "envelope"), random(), ms)?),
        "judge" => {
            let verdict = match text(step, "verdict") {
                "accepted" => Ok(()),
                "key_not_strong" => Err(Objection::KeyNotStrong),
                "already_registered" => Err(Objection::AlreadyRegistered),
                other => panic!("{other}"),
            };
            desktop.judged(verdict, ms)
        }
        "type" => match Code::parse(text(step, "code")) {
            Ok(code) => desktop.type_code(code, &key, ms),
            Err(bad) => return Ok(json!(name(bad))),
        },
        "stored" => desktop.stored(ChannelId::new([0xcc; 16]), &key, ms),
        other => panic!("{other}"),
    };
    Ok(command.map_or_else(|out_of_turn| json!(name(out_of_turn)), |command| desktop_result(&command)))
}

fn desktop_result(command: &DesktopCommand) -> Value {
    match command {
        DesktopCommand::Send(outgoing) => sent(outgoing),
        DesktopCommand::CheckPhone(claims) => json!({ "check": {
            "challenge": hex(claims.challenge),
            "chain": claims.chain.certificates().iter().map(hex).collect::<Vec<_>>(),
            "bio": hex(claims.bio.spki_der()),
            "device": hex(claims.device.as_bytes()),
            "agreement": hex(claims.agreement.as_bytes()),
            "relay": hex(claims.relay.as_bytes()),
            "model": claims.model.raw(),
            "app_version": claims.app_version.raw(),
            "capabilities": claims.capabilities,
        }}),
        DesktopCommand::AskCode => json!("ask_code"),
        DesktopCommand::WrongCode { tries_left } => json!({ "wrong_code": { "tries_left": tries_left } }),
        DesktopCommand::Store(phone) => json!({ "store": {
            "desktop_id": hex(phone.desktop_id.as_bytes()),
            "device_id": hex(phone.device_id.as_bytes()),
            "pair_psk": hex(phone.pair_psk.expose()),
            "h": hex(phone.h.as_bytes()),
        }}),
        DesktopCommand::Failed(failure) => json!({ "failed": name(failure) }),
    }
}

fn run_phone(phone: &mut PhonePairing, opening: &Outgoing, step: &Value, ms: u64) -> Result<Value, Refusal> {
    let command = match text(step, "do") {
        "start" => return Ok(sent(opening)),
        "receive" => Ok(phone.receive(&bytes(step, "envelope"), ms)?),
        "bio_key" => phone.bio_key_made(vec![bytes(step, "leaf")], ms),
        "bio_signed" => phone.bio_signed(bytes(step, "der"), &p_sig(), ms),
        other => panic!("{other}"),
    };
    Ok(command.map_or_else(|out_of_turn| json!(name(out_of_turn)), |command| phone_result(&command)))
}

fn phone_result(command: &PhoneCommand) -> Value {
    match command {
        PhoneCommand::MakeBioKey { challenge, policy } => {
            json!({ "make_bio_key": { "challenge": hex(challenge), "policy": name(policy) } })
        }
        PhoneCommand::ShowCode { outgoing, code } => {
            json!({ "show": code.to_string(), "send": hex(&outgoing.envelope) })
        }
        PhoneCommand::SignBio { bytes, name, account } => {
            json!({ "sign_bio": { "bytes": hex(bytes), "name": name.raw(), "account": account.raw() } })
        }
        PhoneCommand::Send(outgoing) => sent(outgoing),
        PhoneCommand::Store(desktop) => json!({ "store": {
            "desktop": hex(desktop.desktop.as_bytes()),
            "desktop_id": hex(desktop.desktop_id.as_bytes()),
            "device_id": hex(desktop.device_id.as_bytes()),
            "channel": hex(desktop.channel.as_bytes()),
            "peer": hex(desktop.peer.as_bytes()),
            "pair_psk": hex(desktop.pair_psk.expose()),
            "h": hex(desktop.h.as_bytes()),
            "name": desktop.name.raw(),
            "account": desktop.account.raw(),
        }}),
        PhoneCommand::Failed(failure) => json!({ "failed": name(failure) }),
    }
}

fn sent(outgoing: &Outgoing) -> Value {
    json!({ "send": hex(&outgoing.envelope), "first": outgoing.first })
}

fn secret(byte: u8) -> Secret32 {
    Secret32::new([byte; 32])
}

fn ticket() -> Ticket {
    let relay = RelayHost::parse("relay.example.org").unwrap();
    let desktop = AgreementKey::from_bytes([0x10; 32]).public();
    Ticket::new(TicketSecret::new([0x01; 16]), desktop, relay, Link::Tls).unwrap()
}

fn d_sig() -> SigningKey {
    SigningKey::from_seed(&[0x11; 32])
}

fn p_sig() -> SigningKey {
    SigningKey::from_seed(&[0x21; 32])
}

fn random() -> DesktopRandom {
    DesktopRandom { ephemeral: secret(0x12), nonce: secret(0x13), challenge: [0x14; 32] }
}

fn about_desktop() -> AboutDesktop {
    let (name, account) = (Foreign::new("attic"), Foreign::new("ada@attic"));
    AboutDesktop { name, account, policy: AttestationPolicy::Warn }
}

fn about_phone() -> AboutPhone {
    AboutPhone {
        own: AgreementKey::from_bytes([0x20; 32]),
        device: p_sig().public(),
        relay: SigningKey::from_seed(&[0x22; 32]).public(),
        nonce: secret(0x23),
        model: Foreign::new("Pixel 9"),
        app_version: Foreign::new("0.1.0"),
        capabilities: 0,
    }
}

/// The finger: the approval key signs, always with the same signature for the same bytes.
fn finger(bytes: &[u8]) -> Vec<u8> {
    let signature: DerSignature = P256::from_slice(&[0x77; 32]).unwrap().sign(bytes);
    signature.as_bytes().to_vec()
}
