//! Every limit of protocol.md §13 in one place, used by both sides.

use core::time::Duration;

/// Largest envelope a relay carries, in bytes.
pub const ENVELOPE: usize = 32_768;
/// Envelopes are padded to one of these sizes, in bytes (protocol.md §6).
pub const BUCKETS: [usize; 5] = [256, 1_024, 4_096, 16_384, 32_768];
/// Largest message inside envelopes, in bytes.
pub const MESSAGE: usize = 262_144;
/// Most envelopes one message is split into.
pub const PARTS: u16 = 9;
/// Messages being put together at once.
pub const ASSEMBLING: usize = 2;
/// A message whose parts don't arrive within this time is dropped.
pub const ASSEMBLE: Duration = Duration::from_secs(10);
/// Largest encoded request that can be allowed, in bytes; a larger one can only be denied or dismissed.
pub const REQUEST: usize = 245_760;
/// Largest tool input kept, in bytes.
pub const RAW: usize = 1_048_576;
/// Most blocks in a view.
pub const VIEW_BLOCKS: usize = 64;
/// Longest note with a denial, in characters.
pub const NOTE_CHARS: usize = 1_000;
/// Longest free-text answer, in characters.
pub const FREE_TEXT_CHARS: usize = 2_000;
/// Most questions on a card.
pub const QUESTIONS: usize = 4;
/// Most options of a question.
pub const OPTIONS: usize = 16;
/// Largest attestation chain, in bytes.
pub const CHAIN: usize = 16_384;
/// Most certificates in a chain.
pub const CHAIN_CERTIFICATES: usize = 6;
/// Longest name of a phone or desktop, in characters.
pub const NAME_CHARS: usize = 64;
/// Most requests open at once.
pub const OPEN_REQUESTS: usize = 64;
/// Most requests of one session open at once.
pub const SESSION_REQUESTS: usize = 8;
/// Most paired phones, and so most offers of a request.
pub const PHONES: usize = 8;
/// Deepest nesting of a CBOR item.
pub const CBOR_DEPTH: usize = 8;
/// Counters a session remembers behind its highest (protocol.md §6).
pub const WINDOW: u64 = 1_024;
/// A session ends before its counter gets here.
pub const SESSION_COUNTER: u64 = 1 << 32;
/// Messages after which a session is renewed.
pub const SESSION_MESSAGES: u64 = 1 << 20;
/// Age at which a session is renewed.
pub const SESSION_AGE: Duration = Duration::from_secs(60 * 60);
/// Age at which a session ends whatever happens.
pub const SESSION_HARD_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Largest step of a phone's counter between two replies (protocol.md §7.5).
pub const COUNTER_STEP: u64 = 1 << 20;
/// A phone's counter stays below this (protocol.md §7.5).
pub const COUNTER_END: u64 = 1 << 63;
/// Longest approval signature, in bytes; DER of P-256 takes 72.
pub const BIO_SIGNATURE: usize = 80;
/// Handshakes a pair may make at once, then [`HANDSHAKES_A_MINUTE`].
pub const HANDSHAKE_BURST: u32 = 20;
/// Handshakes a pair may make in a minute after the burst.
pub const HANDSHAKES_A_MINUTE: u32 = 12;
/// Bad signatures in a minute that suspend a phone (protocol.md §7.4).
pub const BAD_SIGNATURES: u32 = 5;
/// Life of a ticket's secret.
pub const PAIR_TTL: Duration = Duration::from_secs(120);
/// What typing the code may use beyond [`PAIR_TTL`] once message 3 is in.
pub const PAIR_TYPING: Duration = Duration::from_secs(60);
/// Wrong codes that end a pairing.
pub const PAIR_TRIES: u8 = 2;
/// Longest life of an offer, whatever the settings say (WAIT-2).
pub const REPLY_TTL: Duration = Duration::from_secs(120);
/// How long a request waits unless a setting makes it shorter (WAIT-2).
pub const SERVER_DECISION_TIMEOUT: Duration = Duration::from_secs(115);
/// What is kept free before an agent's own limit for our hook (WAIT-2).
pub const AGENT_MARGIN: Duration = Duration::from_secs(5);
/// How long a card must have been in front before a desktop click allows (WHO-6).
pub const FRONTED: Duration = Duration::from_millis(500);
/// Longest life of an envelope at a relay.
pub const ENVELOPE_TTL: Duration = Duration::from_secs(120);
/// Envelopes a mailbox holds.
pub const MAILBOX_ENVELOPES: usize = 64;
/// Bytes a mailbox holds.
pub const MAILBOX_BYTES: usize = 1_048_576;
/// Life of a rendezvous channel at a relay.
pub const RENDEZVOUS: Duration = Duration::from_secs(180);
/// A channel that no end used for this long is removed.
pub const CHANNEL_IDLE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Time a relay gives for its challenge to be answered.
pub const RELAY_AUTH: Duration = Duration::from_secs(10);
