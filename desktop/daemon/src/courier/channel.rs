//! Making a channel at a relay (protocol.md §3.4): one small HTTP/1.1 request, one bounded answer.

use std::time::Duration;

use countersign_proto::{claim::CHANNELS_PATH, id::ChannelId, key::VerifyingKey, text::Shown};
use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

use super::{
    address::Address,
    dial::{PATIENCE, Stream, Trouble, dial},
};

/// Largest answer that is read; the rest says nothing we need.
const ANSWER: u64 = 16 << 10;
/// Most header fields of an answer.
const HEADERS: usize = 64;
/// Longest reason that is repeated, in characters.
const REASON: usize = 200;

/// An invite token of a relay that wants one.
#[derive(Clone, PartialEq, Eq)]
pub struct Invite([u8; 16]);

/// A text that is no invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "that is no invite token: one has 22 letters, digits, `-` or `_`, as `countersign-relay invite new` prints it"
)]
pub struct BadInvite;

impl Invite {
    /// Reads a token as it was typed.
    ///
    /// # Errors
    /// [`BadInvite`].
    pub fn parse(text: &str) -> Result<Self, BadInvite> {
        let bytes = BASE64URL_NOPAD.decode(text.trim().as_bytes()).map_err(|_| BadInvite)?;
        bytes.try_into().map(Self).map_err(|_| BadInvite)
    }
}

impl std::fmt::Debug for Invite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Invite(…)")
    }
}

/// A channel to be made.
#[derive(Debug, Clone)]
pub struct NewChannel {
    /// Its id.
    pub id: ChannelId,
    /// The key of our end.
    pub desktop: VerifyingKey,
    /// The key of the phone's end.
    pub phone: VerifyingKey,
    /// After which time it ends whatever happens; zero: when it was idle for long.
    pub ttl: Duration,
    /// What allows making it, where the relay asks for that.
    pub invite: Option<Invite>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It was made.
    New,
    /// It was there already, with these keys.
    Same,
}

/// Why there is no such channel.
#[derive(Debug, thiserror::Error)]
pub enum NotMade {
    /// The relay was not reached, or said nothing that can be read.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// It won't.
    #[error("the relay refused to open a channel: {0}")]
    Refused(Shown),
}

/// Makes a channel.
///
/// # Errors
/// [`NotMade`].
pub async fn make(address: &Address, channel: &NewChannel) -> Result<Made, NotMade> {
    let mut stream = dial(address).await?;
    let answer = timeout(PATIENCE, ask(&mut *stream, &request(address, channel))).await;
    let (status, body) = read(&answer.map_err(|_| Trouble::Silent)??)?;
    match status {
        201 => Ok(Made::New),
        200 => Ok(Made::Same),
        _ => Err(NotMade::Refused(reason(status, &body))),
    }
}

fn request(address: &Address, channel: &NewChannel) -> Vec<u8> {
    let mut body = serde_json::json!({
        "id": BASE64URL_NOPAD.encode(channel.id.as_bytes()),
        "key0": BASE64URL_NOPAD.encode(channel.desktop.as_bytes()),
        "key1": BASE64URL_NOPAD.encode(channel.phone.as_bytes()),
        "ttl": channel.ttl.as_secs(),
    });
    if let (Some(invite), Some(fields)) = (&channel.invite, body.as_object_mut()) {
        fields.insert("invite".to_owned(), BASE64URL_NOPAD.encode(&invite.0).into());
    }
    let body = body.to_string();
    format!(
        "POST {CHANNELS_PATH} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        address.host(),
        body.len(),
    )
    .into_bytes()
}

async fn ask(stream: &mut dyn Stream, request: &[u8]) -> Result<Vec<u8>, Trouble> {
    stream.write_all(request).await.map_err(|_| Trouble::Broken)?;
    stream.flush().await.map_err(|_| Trouble::Broken)?;
    let mut answer = Vec::new();
    // A relay that ends the connection roughly has said what it had to say.
    let _ = stream.take(ANSWER).read_to_end(&mut answer).await;
    Ok(answer)
}

/// Status and body of an answer.
fn read(answer: &[u8]) -> Result<(u16, Vec<u8>), Trouble> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(answer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Err(Trouble::Broken),
        Err(error) => return Err(Trouble::NoRelay(error.to_string())),
    };
    let status = head.code.ok_or(Trouble::Broken)?;
    Ok((status, answer.get(length..).unwrap_or_default().to_vec()))
}

/// The relay's own words, where it has some.
fn reason(status: u16, body: &[u8]) -> Shown {
    #[derive(Deserialize)]
    struct Said {
        error: String,
    }
    let said = serde_json::from_slice::<Said>(body).map(|said| said.error);
    let words = said.unwrap_or_else(|_| format!("HTTP status {status}"));
    Shown::line(&words.chars().take(REASON).collect::<String>())
}

#[cfg(test)]
mod tests {
    use countersign_proto::key::SigningKey;

    use super::*;

    fn channel(invite: Option<Invite>) -> NewChannel {
        NewChannel {
            id: ChannelId::new([0xff; 16]),
            desktop: SigningKey::from_seed(&[1; 32]).public(),
            phone: SigningKey::from_seed(&[2; 32]).public(),
            ttl: Duration::from_secs(180),
            invite,
        }
    }

    #[test]
    fn the_request_says_where_it_goes_and_carries_an_invite_only_where_there_is_one() {
        let address = Address::typed("[::1]:7700").unwrap();
        let text = String::from_utf8(request(&address, &channel(None))).unwrap();
        assert!(text.starts_with("POST /v1/channels HTTP/1.1\r\nHost: [::1]:7700\r\n"), "{text}");
        let body: serde_json::Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(body["id"], "_____________________w");
        assert_eq!(body["ttl"], 180);
        assert!(body.get("invite").is_none());
        let invite = Invite::parse(" AAAAAAAAAAAAAAAAAAAAAA\n").unwrap();
        let text = String::from_utf8(request(&address, &channel(Some(invite)))).unwrap();
        assert!(text.ends_with(r#""invite":"AAAAAAAAAAAAAAAAAAAAAA"}"#), "{text}");
    }

    #[test]
    fn a_text_that_is_no_invite_is_refused_and_debug_shows_none() {
        for text in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAAA!", "AAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(Invite::parse(text), Err(BadInvite), "{text}");
        }
        assert_eq!(format!("{:?}", Invite([7; 16])), "Invite(…)");
    }

    #[test]
    fn a_refusal_is_told_in_the_relays_words_escaped_and_short() {
        let (status, body) =
            read(b"HTTP/1.1 409 Conflict\r\nX: y\r\n\r\n{\"error\":\"taken \\u001b[2J\"}").unwrap();
        assert_eq!((status, reason(status, &body).as_str()), (409, r"taken \u{1b}[2J"));
        let long = format!("{{\"error\":\"{}\"}}", "x".repeat(5_000));
        assert_eq!(reason(400, long.as_bytes()).as_str().len(), REASON);
        assert_eq!(reason(503, b"<html>").as_str(), "HTTP status 503");
    }

    #[test]
    fn what_is_no_http_or_is_cut_off_is_no_answer() {
        assert!(matches!(read(b"SSH-2.0-OpenSSH_9.9\r\n"), Err(Trouble::NoRelay(_))));
        for cut in ["", "HTTP/1.1 201 Crea", "HTTP/1.1 201 Created\r\n"] {
            assert!(matches!(read(cut.as_bytes()), Err(Trouble::Broken)), "{cut}");
        }
    }
}
