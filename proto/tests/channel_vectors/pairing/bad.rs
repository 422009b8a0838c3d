//! Pairings that must not come to anything, by hand where no honest end would send such a thing.

use countersign_proto::{
    canonical, domain,
    envelope::RawMessage,
    id::{DeviceId, Hash},
    key::Signature,
    message::Type,
    pairing::{
        Bound, Chain, CodeKeys, Enrolment, Opening, PairDesktop, PairPhone, derive_code, derive_desktop_id,
        derive_device_id,
    },
};

use super::{
    super::flip,
    forger::{FakeDesktop, Forger, sealed},
    tale::{
        judge, receive, type_code, until_code, until_enrolment, until_finger, until_proof, until_terms, wrong,
    },
    *,
};

pub(super) fn all() -> Vec<Value> {
    let mut all = desktop_refuses();
    all.extend(desktop_fails());
    all.extend(forged_phones());
    all.extend(forged_proofs());
    all.extend(phone_refuses());
    all.extend(phone_fails());
    all
}

fn pair() -> (Tale, Tale) {
    (Tale::new("desktop"), Tale::new("phone"))
}

fn opening() -> Vec<u8> {
    let (mut desktop, mut phone) = pair();
    until_terms(&mut desktop, &mut phone);
    tale::sent_in(&Tale::new("phone").step(json!({ "do": "start", "ms": 0 })))
}

fn desktop_refuses() -> Vec<Value> {
    let opening = opening();
    let (short, _) = opening.split_at(255);
    let fresh = || Tale::new("desktop");
    let (mut scanned, mut phone) = pair();
    until_terms(&mut scanned, &mut phone);
    let (mut enrolled, mut phone) = pair();
    let (enrolment, _) = until_enrolment(&mut enrolled, &mut phone);
    let (mut twice, mut phone) = pair();
    until_code(&mut twice, &mut phone);
    let (mut early, mut phone) = pair();
    until_code(&mut early, &mut phone);
    let (mut proving, mut phone) = pair();
    let proof = until_proof(&mut proving, &mut phone);
    let stranger = Forger::with(
        Ticket::new(TicketSecret::new([0x02; 16]), ticket().desktop(), ticket().relay().clone(), Link::Tls)
            .unwrap(),
    );
    vec![
        fresh().refused("message 1 cut off", receive(short, 0), Refusal::Malformed),
        fresh().refused("message 1 with a flipped bit", receive(&flip(&opening, 80), 0), Refusal::Malformed),
        fresh().refused("message 1 under another tag", receive(&flip(&opening, 5), 0), Refusal::Malformed),
        fresh().refused("message 1 as a session's", receive(&of_kind(&opening, 2), 0), Refusal::Malformed),
        fresh().refused(
            "message 1 of someone without the secret",
            receive(&stranger.open_honestly().0, 0),
            Refusal::Malformed,
        ),
        fresh().refused("message 3 before message 1", receive(&enrolment, 0), Refusal::Malformed),
        fresh().refused("a proof before any handshake", receive(&proof, 0), Refusal::NoSession),
        scanned.refused("message 1 again", receive(&opening, 0), Refusal::CounterReplayed),
        enrolled.refused(
            "message 3 with a flipped bit",
            receive(&flip(&enrolment, 500), 0),
            Refusal::Malformed,
        ),
        twice.refused("message 3 again", receive(&enrolment, 0), Refusal::CounterReplayed),
        early.refused("the proof before the code", receive(&proof, 0), Refusal::NoSession),
        proving.refused("the proof with a flipped bit", receive(&flip(&proof, 100), 0), Refusal::Malformed),
    ]
}

/// The same envelope under another kind.
fn of_kind(envelope: &[u8], kind: u8) -> Vec<u8> {
    let mut envelope = envelope.to_vec();
    *envelope.get_mut(1).unwrap() = kind;
    envelope
}

fn desktop_fails() -> Vec<Value> {
    let opening = opening();
    let (mut late, mut phone) = pair();
    let (enrolment, _) = until_enrolment(&mut late, &mut phone);
    let mut all = vec![
        Tale::new("desktop").failed("message 1 after two minutes", receive(&opening, 120_100), "expired"),
        late.failed("message 3 after two minutes", receive(&enrolment, 120_100), "expired"),
    ];
    for (name, verdict) in [("a key in software", "key_not_strong"), ("a known key", "already_registered")] {
        let (mut desktop, mut phone) = pair();
        let (enrolment, _) = until_enrolment(&mut desktop, &mut phone);
        desktop.receive(&enrolment);
        all.push(desktop.failed(name, judge(verdict), verdict));
    }
    let (mut typed, mut phone) = pair();
    let code = until_code(&mut typed, &mut phone);
    all.push(typed.failed("the code after three minutes", type_code(&code, 180_100), "expired"));
    let (mut twice, mut phone) = pair();
    until_code(&mut twice, &mut phone);
    twice.step(type_code(wrong(&code), 0));
    all.push(twice.failed("a wrong code twice", type_code(wrong(&code), 0), "wrong_code"));
    for text in ["12345", "1234567", "12345x", ""] {
        let (mut desktop, mut phone) = pair();
        until_code(&mut desktop, &mut phone);
        let name = format!("`{text}` is no code and costs no try");
        all.push(desktop.answered(&name, type_code(text, 0), "bad_code"));
    }
    let (mut unjudged, mut phone) = pair();
    let (enrolment, _) = until_enrolment(&mut unjudged, &mut phone);
    unjudged.receive(&enrolment);
    all.push(unjudged.answered("the code before the judgement", type_code(&code, 0), "out_of_turn"));
    for (name, until) in [("a second phone after message 2", 0), ("a second phone while the person types", 1)]
    {
        let (mut desktop, mut phone) = pair();
        if until == 0 {
            drop(until_terms(&mut desktop, &mut phone))
        } else {
            drop(until_code(&mut desktop, &mut phone))
        }
        let second = Forger::new().open_honestly().0;
        all.push(desktop.failed(name, receive(&second, 0), "someone_else_scanned"));
    }
    all
}

/// Phones that hold the ticket's secret and lie.
fn forged_phones() -> Vec<Value> {
    type Lie = fn(&mut Enrolment);
    let lies: [(&str, Lie, &str); 5] = [
        ("another nonce than committed to", |lie| lie.nonce = secret(0x99), "broken_commitment"),
        ("another device key than committed to", |lie| lie.device = d_sig().public(), "broken_commitment"),
        ("a model of 65 characters", |lie| lie.model = Foreign::new("x".repeat(65)), "bad_phone"),
        ("a version of 65 characters", |lie| lie.app_version = Foreign::new("1".repeat(65)), "bad_phone"),
        (
            "a leaf that is no certificate",
            |lie| lie.chain = Chain::new(vec![vec![0x30, 0]]).unwrap(),
            "key_not_strong",
        ),
    ];
    let mut all: Vec<_> = lies
        .into_iter()
        .map(|(name, lie, failure)| {
            let mut desktop = Tale::new("desktop");
            let enrolment = Forger::new().enrol(&mut desktop, lie).0;
            desktop.failed(name, receive(&enrolment, 0), failure)
        })
        .collect();

    let swapped = Forger { commit_to: AgreementKey::from_bytes([0x62; 32]), ..Forger::new() };
    let mut desktop = Tale::new("desktop");
    let enrolment = swapped.enrol(&mut desktop, |_| ()).0;
    all.push(desktop.failed(
        "another agreement key than committed to",
        receive(&enrolment, 0),
        "broken_commitment",
    ));
    let other =
        Forger::new().open(&canonical::encode(&Opening { versions: vec![2], commit: Hash::new([0; 32]) })).0;
    all.push(Tale::new("desktop").failed("a phone of another version", receive(&other, 0), "other_version"));
    let many = Opening { versions: (1..18).collect(), commit: Hash::new([0; 32]) };
    let many = Forger::new().open(&canonical::encode(&many)).0;
    all.push(Tale::new("desktop").failed("a phone of seventeen versions", receive(&many, 0), "bad_phone"));
    let garbage = Forger::new().open(b"no CBOR").0;
    all.push(Tale::new("desktop").failed("message 1 that says nothing", receive(&garbage, 0), "bad_phone"));
    let (mut desktop, mut victim) = pair();
    let enrolment = Forger::new().enrol(&mut desktop, |_| ()).0;
    desktop.receive(&enrolment);
    desktop.step(judge("accepted"));
    let (mut fake, mut code) = (Tale::new("desktop"), String::new());
    code.push_str(&until_code(&mut fake, &mut victim));
    desktop.step(type_code(&code, 0));
    all.push(desktop.failed("the code of another phone, twice", type_code(&code, 0), "wrong_code"));
    all
}

/// Phones whose code the person typed nevertheless.
fn forged_proofs() -> Vec<Value> {
    type Lie = fn(&mut PairPhone, &[u8]);
    let lies: [(&str, Lie); 4] = [
        ("a device signature of another key", |lie, bytes| {
            lie.sig_dev = d_sig().sign(domain::PAIR_PHONE_DEVICE, &[bytes]);
        }),
        ("an approval signature of another key", |lie, bytes| {
            let other: DerSignature = P256::from_slice(&[0x78; 32]).unwrap().sign(bytes);
            lie.sig_bio = other.as_bytes().to_vec();
        }),
        ("no approval signature", |lie, _| lie.sig_bio = Vec::new()),
        ("a device signature of zeros", |lie, _| lie.sig_dev = Signature::from_bytes([0; 64])),
    ];
    let mut all: Vec<_> = lies
        .into_iter()
        .map(|(name, lie)| {
            let (desktop, sealed) = forged_proof(lie);
            desktop.failed(name, receive(&sealed, 0), "bad_proof")
        })
        .collect();
    let (desktop, sealed) = forged_message(|_, _| RawMessage::new(Type::Reply.code(), vec![]));
    all.push(desktop.failed("a reply in place of the proof", receive(&sealed, 0), "bad_phone"));
    let (desktop, sealed) = forged_message(|_, _| RawMessage::new(Type::PairPhone.code(), vec![0xbf, 0xff]));
    all.push(desktop.failed("a proof that is not canonical", receive(&sealed, 0), "bad_phone"));
    all
}

fn forged_proof(lie: fn(&mut PairPhone, &[u8])) -> (Tale, Vec<u8>) {
    forged_message(|bound, device| {
        let bio = Chain::new(vec![LEAF.to_vec()]).unwrap().leaf_key().unwrap();
        let bytes = bound.bio_bytes(&bio);
        let mut proof = PairPhone::sign(bound, &bio, finger(&bytes), device);
        lie(&mut proof, &bytes);
        RawMessage::new(Type::PairPhone.code(), canonical::encode(&proof))
    })
}

fn forged_message(make: impl FnOnce(&Bound, &SigningKey) -> RawMessage) -> (Tale, Vec<u8>) {
    let mut desktop = Tale::new("desktop");
    let (enrolment, forger, terms, h2) = Forger::new().enrol(&mut desktop, |_| ());
    let (phone, device) = (forger.about.own.public(), forger.about.device);
    let keys = CodeKeys { phone: &phone, device: &device, desktop: &ticket().desktop() };
    let code = derive_code(&forger.about.nonce, &terms.nonce, &h2, keys).to_string();
    desktop.receive(&enrolment);
    desktop.step(judge("accepted"));
    desktop.step(type_code(&code, 0));
    let device_id = derive_device_id(&derive_desktop_id(&d_sig().public()), &device);
    let h = forger.handshake.hash();
    let bound = Bound { h, desktop: ticket().desktop(), phone, device, device_id };
    let message = make(&bound, &SigningKey::from_seed(&[0x61; 32]));
    let tag = forger.tag();
    (desktop, sealed(&forger.handshake.finish().unwrap(), tag, &message))
}

fn phone_refuses() -> Vec<Value> {
    let (mut desktop, mut phone) = pair();
    let terms = until_terms(&mut desktop, &mut phone);
    let (mut other_tag, mut twice) = (Tale::new("phone"), Tale::new("phone"));
    other_tag.step(json!({ "do": "start", "ms": 0 }));
    twice.step(json!({ "do": "start", "ms": 0 }));
    twice.receive(&terms);
    let (mut proving, mut shown) = pair();
    let code = until_code(&mut proving, &mut shown);
    let proof = tale::sent_in(&proving.step(type_code(&code, 0)));
    let fresh = || Tale::new("phone");
    vec![
        phone.refused("message 2 with a flipped bit", receive(&flip(&terms, 100), 0), Refusal::Malformed),
        other_tag.refused("message 2 of another pairing", receive(&flip(&terms, 2), 0), Refusal::NoSession),
        twice.refused("message 2 again", receive(&terms, 0), Refusal::CounterReplayed),
        fresh().refused("the desktop's proof too early", receive(&proof, 0), Refusal::NoSession),
        shown.refused(
            "the desktop's proof with a flipped bit",
            receive(&flip(&proof, 200), 0),
            Refusal::Malformed,
        ),
    ]
}

fn phone_fails() -> Vec<Value> {
    let (mut desktop, mut finger_of) = pair();
    until_finger(&mut desktop, &mut finger_of);
    let wrong_finger = json!({ "do": "bio_signed", "ms": 0, "der": hex(finger(b"something else")) });
    let (mut desktop, mut no_leaf) = pair();
    let terms = until_terms(&mut desktop, &mut no_leaf);
    no_leaf.receive(&terms);
    let no_certificate = json!({ "do": "bio_key", "ms": 0, "leaf": "3000" });
    let mut all = vec![
        finger_of.failed("a finger on other bytes", wrong_finger, "bad_signature"),
        no_leaf.failed("an approval key without a certificate", no_certificate, "bad_chain"),
        Tale::new("phone").failed("no answer for three minutes", receive(&terms, 180_000), "expired"),
    ];
    let mut other_version = Tale::new("phone");
    let terms = FakeDesktop::new(&mut other_version, 2).terms;
    all.push(other_version.failed("a desktop of another version", receive(&terms, 0), "other_version"));
    type Lie = fn(&mut PairDesktop);
    let lies: [(&str, Lie, &str); 4] = [
        (
            "another installation's key",
            |lie| lie.desktop = SigningKey::from_seed(&[0x99; 32]).public(),
            "bad_proof",
        ),
        ("another device id", |lie| lie.device_id = DeviceId::new([0; 16]), "bad_proof"),
        ("a signature of zeros", |lie| lie.sig = Signature::from_bytes([0; 64]), "bad_proof"),
        ("a desktop's name of 65 characters", |lie| lie.name = Foreign::new("x".repeat(65)), "bad_desktop"),
    ];
    for (name, lie, failure) in lies {
        let mut phone = Tale::new("phone");
        let proof = FakeDesktop::new(&mut phone, 1).proof(&mut phone, lie);
        all.push(phone.failed(name, receive(&proof, 0), failure));
    }
    all
}
