//! The numbers of protocol.md §13 (and of the sections it sums up), written out: whoever changes one changes it here too.

use core::time::Duration;

use countersign_proto::limits;

#[test]
fn sizes_and_counts_are_those_of_the_document() {
    assert_eq!(limits::ENVELOPE, 32_768);
    assert_eq!(limits::BUCKETS, [256, 1_024, 4_096, 16_384, 32_768]);
    assert_eq!(limits::MESSAGE, 262_144);
    assert_eq!(limits::PARTS, 9);
    assert_eq!(limits::ASSEMBLING, 2);
    assert_eq!(limits::REQUEST, 245_760);
    assert_eq!(limits::RAW, 1_048_576);
    assert_eq!(limits::VIEW_BLOCKS, 64);
    assert_eq!((limits::NOTE_CHARS, limits::FREE_TEXT_CHARS), (1_000, 2_000));
    assert_eq!((limits::OPTIONS, limits::QUESTIONS), (16, 4));
    assert_eq!((limits::CHAIN, limits::CHAIN_CERTIFICATES), (16_384, 6));
    assert_eq!(limits::NAME_CHARS, 64);
    assert_eq!((limits::OPEN_REQUESTS, limits::SESSION_REQUESTS), (64, 8));
    assert_eq!(limits::PHONES, 8);
    assert_eq!(limits::CBOR_DEPTH, 8);
    assert_eq!((limits::MAILBOX_ENVELOPES, limits::MAILBOX_BYTES), (64, 1_048_576));
}

#[test]
fn sessions_counters_and_tries_are_those_of_the_document() {
    assert_eq!(limits::WINDOW, 1_024);
    assert_eq!(limits::SESSION_COUNTER, 4_294_967_296);
    assert_eq!(limits::SESSION_MESSAGES, 1_048_576);
    assert_eq!(limits::COUNTER_STEP, 1_048_576);
    assert_eq!(limits::COUNTER_END, 9_223_372_036_854_775_808);
    assert_eq!((limits::HANDSHAKE_BURST, limits::HANDSHAKES_A_MINUTE), (20, 12));
    assert_eq!((limits::BAD_SIGNATURES, limits::PAIR_TRIES), (5, 2));
    // DER of two 32-byte integers with sign bytes: 2 + 2 × (2 + 33); ours leaves room and no more.
    assert!((72..=80).contains(&limits::BIO_SIGNATURE));
}

#[test]
fn times_are_those_of_the_document() {
    let seconds = Duration::from_secs;
    assert_eq!(limits::ASSEMBLE, seconds(10));
    assert_eq!((limits::PAIR_TTL, limits::PAIR_TYPING), (seconds(120), seconds(60)));
    assert_eq!((limits::REPLY_TTL, limits::ENVELOPE_TTL), (seconds(120), seconds(120)));
    assert_eq!((limits::SERVER_DECISION_TIMEOUT, limits::AGENT_MARGIN), (seconds(115), seconds(5)));
    assert_eq!((limits::SESSION_AGE, limits::SESSION_HARD_AGE), (seconds(3_600), seconds(86_400)));
    assert_eq!((limits::RELAY_AUTH, limits::RENDEZVOUS), (seconds(10), seconds(180)));
    assert_eq!(limits::CHANNEL_IDLE, seconds(90 * 86_400));
    assert_eq!(limits::FRONTED, Duration::from_millis(500));
}

/// A message of the largest size fits its parts, and a request fits the message around it.
#[test]
fn the_sizes_fit_into_each_other() {
    const { assert!(limits::REQUEST + 1_024 <= limits::MESSAGE) };
    const { assert!(limits::MESSAGE < limits::PARTS as usize * limits::ENVELOPE) };
    assert_eq!(limits::BUCKETS.last(), Some(&limits::ENVELOPE));
}
