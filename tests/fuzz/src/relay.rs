//! The relay's frames, in both directions.

use countersign_proto::{
    frame::{FromClient, FromRelay, MAX},
    limits,
};

/// Any bytes are one frame of one direction in its one form, or none.
pub fn relay_frame(bytes: &[u8]) -> bool {
    let (client, relay) = (FromClient::decode(bytes), FromRelay::decode(bytes));
    assert!(client.is_err() || relay.is_err(), "a frame of both directions");
    for bad in [client.as_ref().err(), relay.as_ref().err()].into_iter().flatten() {
        assert!(!bad.close_code().reason().is_empty() && !bad.name().is_empty());
    }
    if let Ok(frame) = &client {
        assert_eq!(frame.encode(), bytes);
        assert!(bytes.len() <= MAX);
    }
    if let Ok(frame) = &relay {
        assert_eq!(frame.encode(), bytes);
        if let FromRelay::Deliver { envelope, .. } = frame {
            assert!((1..=limits::ENVELOPE).contains(&envelope.len()));
        }
    }
    client.is_ok() || relay.is_ok()
}
