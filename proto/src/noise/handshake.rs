//! The two handshakes of protocol.md §4 and §5 over [`Resolver`]. A message that does not verify leaves the handshake
//! where it was, so that garbage in between costs nothing; `snow` alone would not promise that.

use core::fmt;

use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

use super::{PUBLIC, Resolver, TAG};
use crate::{
    id::Hash,
    key::{AgreementKey, AgreementPublic, Secret32},
    refusal::Refusal,
};

/// Largest Noise message that is made or read here: what fits an envelope.
const MOST: usize = crate::limits::ENVELOPE;

/// Which handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Pairing, where the phone knows the desktop's key from the ticket.
    XkPsk0,
    /// A session of a pair, where both know each other.
    KkPsk0,
}

impl Pattern {
    /// The full Noise protocol name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::XkPsk0 => "Noise_XKpsk0_25519_ChaChaPoly_SHA256",
            Self::KkPsk0 => "Noise_KKpsk0_25519_ChaChaPoly_SHA256",
        }
    }
}

/// Which side of a handshake: the phone always initiates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The phone.
    Initiator,
    /// The desktop.
    Responder,
}

/// All a handshake needs; the same setup and the same messages always give the same bytes.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Which handshake.
    pub pattern: Pattern,
    /// Which side this is.
    pub role: Role,
    /// Our static key.
    pub own: AgreementKey,
    /// The peer's static key, where it is known beforehand.
    pub peer: Option<AgreementPublic>,
    /// The pre-shared key.
    pub psk: Secret32,
    /// The prologue: both sides must agree on it byte by byte.
    pub prologue: Vec<u8>,
    /// Random bytes for our one ephemeral key.
    pub ephemeral: Secret32,
}

/// A handshake under way.
pub struct Handshake {
    setup: Setup,
    state: HandshakeState,
    done: Vec<Step>,
}

/// What has happened, kept to stand up again after a message that did not verify.
enum Step {
    Wrote(Zeroizing<Vec<u8>>),
    Read(Vec<u8>),
}

impl Handshake {
    /// Starts a handshake.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the setup lacks a key that its pattern needs.
    pub fn new(setup: Setup) -> Result<Self, Refusal> {
        let state = build(&setup)?;
        Ok(Self { setup, state, done: Vec::new() })
    }

    /// Bytes that the next message adds to its payload.
    #[must_use]
    pub fn overhead(&self) -> usize {
        match (self.setup.pattern, self.done.len()) {
            (Pattern::XkPsk0, 2) => PUBLIC + TAG + TAG,
            (Pattern::XkPsk0 | Pattern::KkPsk0, _) => PUBLIC + TAG,
        }
    }

    /// Makes our next message.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] out of turn, [`Refusal::TooBig`] beyond an envelope.
    pub fn write(&mut self, payload: &[u8]) -> Result<Vec<u8>, Refusal> {
        if payload.len() + self.overhead() > MOST {
            return Err(Refusal::TooBig);
        }
        let message = write(&mut self.state, payload)?;
        self.done.push(Step::Wrote(Zeroizing::new(payload.to_vec())));
        Ok(message)
    }

    /// Reads the peer's next message into its payload.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where it does not verify or is out of turn; the handshake then stands as before.
    pub fn read(&mut self, message: &[u8]) -> Result<Zeroizing<Vec<u8>>, Refusal> {
        match read(&mut self.state, message) {
            Ok(payload) => {
                self.done.push(Step::Read(message.to_vec()));
                Ok(payload)
            }
            Err(refusal) => {
                self.state = self.stand_up()?;
                Err(refusal)
            }
        }
    }

    /// The handshake hash so far.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::from_slice(self.state.get_handshake_hash()).unwrap_or(Hash::new([0; 32]))
    }

    /// The peer's static key, once known.
    #[must_use]
    pub fn peer(&self) -> Option<AgreementPublic> {
        self.state.get_remote_static()?.try_into().ok().map(AgreementPublic::new)
    }

    /// Splits a finished handshake into its transport keys.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] before the last message.
    pub fn finish(self) -> Result<Transport, Refusal> {
        self.state.into_stateless_transport_mode().map(Transport).map_err(|_| Refusal::Malformed)
    }

    fn stand_up(&self) -> Result<HandshakeState, Refusal> {
        let mut state = build(&self.setup)?;
        for step in &self.done {
            match step {
                Step::Wrote(payload) => drop(write(&mut state, payload)?),
                Step::Read(message) => drop(read(&mut state, message)?),
            }
        }
        Ok(state)
    }
}

impl fmt::Debug for Handshake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handshake({:?} {:?}, {} messages)", self.setup.pattern, self.setup.role, self.done.len())
    }
}

fn build(setup: &Setup) -> Result<HandshakeState, Refusal> {
    let resolver = Box::new(Resolver::new(setup.ephemeral.clone()));
    let own = setup.own.expose();
    let start = || {
        let mut builder = Builder::with_resolver(setup.pattern.name().parse()?, resolver)
            .prologue(&setup.prologue)?
            .psk(0, setup.psk.expose())?
            .local_private_key(own.as_ref())?;
        if let Some(peer) = &setup.peer {
            builder = builder.remote_public_key(peer.as_bytes())?;
        }
        match setup.role {
            Role::Initiator => builder.build_initiator(),
            Role::Responder => builder.build_responder(),
        }
    };
    start().map_err(|_| Refusal::Malformed)
}

fn write(state: &mut HandshakeState, payload: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut message = vec![0; payload.len() + PUBLIC + 3 * TAG];
    let length = state.write_message(payload, &mut message).map_err(|_| Refusal::Malformed)?;
    message.truncate(length);
    Ok(message)
}

fn read(state: &mut HandshakeState, message: &[u8]) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    if message.len() > MOST {
        return Err(Refusal::TooBig);
    }
    let mut payload = Zeroizing::new(vec![0; message.len()]);
    let length = state.read_message(message, &mut payload).map_err(|_| Refusal::Malformed)?;
    payload.truncate(length);
    Ok(payload)
}

/// The two keys of a finished handshake. Nonces are explicit; who may use which is the session's business.
pub struct Transport(StatelessTransportState);

impl Transport {
    /// Seals one plaintext under a nonce that this side never uses again.
    ///
    /// # Errors
    /// [`Refusal::TooBig`] beyond an envelope.
    pub fn seal(&self, nonce: u64, plaintext: &[u8]) -> Result<Vec<u8>, Refusal> {
        if plaintext.len() + TAG > MOST {
            return Err(Refusal::TooBig);
        }
        let mut sealed = vec![0; plaintext.len() + TAG];
        match self.0.write_message(nonce, plaintext, &mut sealed) {
            Ok(length) if length == sealed.len() => Ok(sealed),
            Ok(_) | Err(_) => Err(Refusal::TooBig),
        }
    }

    /// Opens what the peer sealed under this nonce.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where it does not verify.
    pub fn open(&self, nonce: u64, sealed: &[u8]) -> Result<Vec<u8>, Refusal> {
        let mut plaintext = vec![0; sealed.len().min(MOST)];
        let length = self.0.read_message(nonce, sealed, &mut plaintext).map_err(|_| Refusal::Malformed)?;
        plaintext.truncate(length);
        Ok(plaintext)
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transport(…)")
    }
}
