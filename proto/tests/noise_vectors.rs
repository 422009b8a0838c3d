//! The Noise transcripts of a second implementation (flynn/noise, in Go) through our resolver: every ciphertext and the
//! handshake hash, byte by byte, in both directions.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use countersign_proto::{
    key::{AgreementKey, Secret32},
    noise::{Handshake, Pattern, Role, Setup, Transport},
};
use data_encoding::HEXLOWER;
use serde::Deserialize;

const TRANSCRIPTS: &str = include_str!("../vectors/noise_psk0.json");

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Transcript {
    protocol: String,
    prologue: Hex,
    psk: Hex,
    init_static: Hex,
    resp_static: Hex,
    init_ephemeral: Hex,
    resp_ephemeral: Hex,
    messages: Vec<Message>,
    handshake_hash: Hex,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Message {
    payload: Hex,
    ciphertext: Hex,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = data_encoding::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        HEXLOWER.decode(text.as_bytes()).map(Self)
    }
}

impl Hex {
    fn key(&self) -> [u8; 32] {
        self.0[..].try_into().unwrap()
    }
}

impl Transcript {
    fn pattern(&self) -> Pattern {
        let known = [Pattern::XkPsk0, Pattern::KkPsk0];
        known.into_iter().find(|pattern| pattern.name() == self.protocol).unwrap()
    }

    fn side(&self, role: Role) -> Handshake {
        let init = AgreementKey::from_bytes(self.init_static.key());
        let resp = AgreementKey::from_bytes(self.resp_static.key());
        let (own, peer, ephemeral) = match role {
            Role::Initiator => (init, Some(resp.public()), &self.init_ephemeral),
            Role::Responder => (resp, Some(init.public()), &self.resp_ephemeral),
        };
        let peer = peer.filter(|_| role == Role::Initiator || self.pattern() == Pattern::KkPsk0);
        let (psk, ephemeral) = (Secret32::new(self.psk.key()), Secret32::new(ephemeral.key()));
        let prologue = self.prologue.0.clone();
        Handshake::new(Setup { pattern: self.pattern(), role, own, peer, psk, prologue, ephemeral }).unwrap()
    }

    /// Runs the handshake and gives both transports.
    fn run(&self) -> (Transport, Transport) {
        let (mut init, mut resp) = (self.side(Role::Initiator), self.side(Role::Responder));
        let handshake = self.messages.len() - 2;
        for (at, message) in self.messages.iter().take(handshake).enumerate() {
            let (writer, reader) = if at % 2 == 0 { (&mut init, &mut resp) } else { (&mut resp, &mut init) };
            let overhead = writer.overhead();
            let written = writer.write(&message.payload.0).unwrap();
            assert_eq!(written, message.ciphertext.0, "{} message {at}", self.protocol);
            assert_eq!(written.len(), message.payload.0.len() + overhead);
            // A changed message in between must not move the reader.
            let mut changed = written.clone();
            changed.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
            assert!(reader.read(&changed).is_err());
            assert_eq!(*reader.read(&written).unwrap(), message.payload.0, "{} message {at}", self.protocol);
        }
        assert_eq!(init.hash().as_bytes()[..], self.handshake_hash.0[..]);
        assert_eq!(resp.hash(), init.hash());
        assert_eq!(resp.peer(), Some(AgreementKey::from_bytes(self.init_static.key()).public()));
        (init.finish().unwrap(), resp.finish().unwrap())
    }
}

fn transcripts() -> Vec<Transcript> {
    serde_json::from_str(TRANSCRIPTS).unwrap()
}

#[test]
fn every_ciphertext_and_hash_equals_the_other_implementations() {
    let transcripts = transcripts();
    assert_eq!(transcripts.len(), 2);
    for transcript in &transcripts {
        let (init, resp) = transcript.run();
        let [.., up, down] = &transcript.messages[..] else { unreachable!() };
        for (from, to, message) in [(&init, &resp, up), (&resp, &init, down)] {
            assert_eq!(from.seal(0, &message.payload.0).unwrap(), message.ciphertext.0);
            assert_eq!(to.open(0, &message.ciphertext.0).unwrap(), message.payload.0);
            assert!(to.open(1, &message.ciphertext.0).is_err(), "another nonce");
            assert!(from.open(0, &message.ciphertext.0).is_err(), "the sender's own key");
        }
    }
}

#[test]
fn any_other_psk_prologue_or_static_key_fails_at_the_first_message() {
    type Change = fn(&mut Transcript);
    let changes: [(&str, Change); 3] = [
        ("psk", |transcript| transcript.psk.0[0] ^= 1),
        ("prologue", |transcript| transcript.prologue.0.push(0)),
        ("the responder's key", |transcript| transcript.resp_static.0[5] ^= 1),
    ];
    for (what, change) in changes {
        for (mut transcript, whole) in transcripts().into_iter().zip(transcripts()) {
            let first = whole.side(Role::Initiator).write(b"").unwrap();
            change(&mut transcript);
            assert!(transcript.side(Role::Responder).read(&first).is_err(), "{what}, {}", whole.protocol);
        }
    }
}

#[test]
fn a_side_out_of_turn_neither_writes_nor_reads_nor_finishes() {
    for transcript in transcripts() {
        let mut resp = transcript.side(Role::Responder);
        assert!(resp.write(b"").is_err());
        let mut init = transcript.side(Role::Initiator);
        assert!(init.read(&transcript.messages[0].ciphertext.0).is_err());
        assert!(init.finish().is_err());
        assert_eq!(
            *resp.read(&transcript.messages[0].ciphertext.0).unwrap(),
            transcript.messages[0].payload.0
        );
    }
}
