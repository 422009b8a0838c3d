//! A relay on the LAN: its certificate is its own, and counts only with the pin of the ticket.

use std::sync::Arc;

use countersign_proto::{
    claim::{Claim, End, Origin},
    frame::{FromClient, FromRelay, SUBPROTOCOL},
    id::ChannelId,
    key::SigningKey,
    pairing::{Link, RelayHost},
};
use futures_util::{SinkExt as _, StreamExt as _};
use p256::pkcs8::{EncodePrivateKey as _, EncodePublicKey as _};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use sha2::{Digest as _, Sha256};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::{
    accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        http::HeaderValue,
    },
};

use crate::courier::{Address, Claimed, Socket, Trouble, stage::self_signed};

const NONCE: [u8; 32] = [7; 32];

fn key() -> p256::ecdsa::SigningKey {
    p256::ecdsa::SigningKey::from_slice(&[3; 32]).unwrap()
}

fn pin() -> [u8; 32] {
    Sha256::digest(key().verifying_key().to_public_key_der().unwrap().as_bytes()).into()
}

fn claimed() -> Claimed {
    Claimed { channel: ChannelId::new([1; 16]), end: End::Desktop, key: SigningKey::from_seed(&[2; 32]) }
}

fn acceptor() -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let private = PrivatePkcs8KeyDer::from(key().to_pkcs8_der().unwrap().as_bytes().to_vec());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(self_signed(&key()))], PrivateKeyDer::Pkcs8(private))
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// A relay that takes one connection; true where a right claim was made in it.
async fn relay() -> (Address, JoinHandle<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let origin = Origin::parse(&host, 443).unwrap();
    let serving = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let Ok(stream) = acceptor().accept(stream).await else { return false };
        #[expect(clippy::result_large_err, reason = "the library's signature")]
        let agree = |_: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
            Ok(response)
        };
        let mut socket = accept_hdr_async(stream, agree).await.unwrap();
        let say = |frame: FromRelay| Message::Binary(frame.encode().into());
        socket.send(say(FromRelay::Challenge { nonce: NONCE, relay_time: 0 })).await.unwrap();
        let Some(Ok(Message::Binary(bytes))) = socket.next().await else { return false };
        let Ok(FromClient::Auth { channel, end, sig }) = FromClient::decode(&bytes) else { return false };
        let claim = Claim { origin: &origin, nonce: &NONCE, channel, end };
        socket.send(say(FromRelay::PeerPresence { online: true })).await.unwrap();
        claim.verify(&claimed().key.public(), &sig).is_ok()
    });
    let host = RelayHost::parse(&host).unwrap();
    (Address::new(host, Link::Pinned(pin())).unwrap(), serving)
}

fn with(address: &Address, link: Link) -> Address {
    Address::new(address.host().clone(), link).unwrap()
}

#[tokio::test]
async fn a_certificate_with_the_pinned_key_is_enough_whatever_name_it_has() {
    let (address, serving) = relay().await;
    let (_socket, is_online) = Socket::claim(&address, &claimed()).await.unwrap();
    assert!(is_online);
    assert!(serving.await.unwrap(), "the claim signs the address that was dialled");
}

#[tokio::test]
async fn any_other_key_is_refused_before_a_byte_is_said() {
    let (address, serving) = relay().await;
    let mut other = pin();
    other[31] ^= 1;
    let trouble = Socket::claim(&with(&address, Link::Pinned(other)), &claimed()).await.unwrap_err();
    assert!(trouble.to_string().contains("not the one that was paired with"), "{trouble}");
    assert!(!serving.await.unwrap());
}

#[tokio::test]
async fn without_a_pin_a_self_made_certificate_is_not_trusted() {
    let (address, serving) = relay().await;
    let trouble = Socket::claim(&with(&address, Link::Tls), &claimed()).await.unwrap_err();
    assert!(matches!(trouble, Trouble::Tls(_) | Trouble::NoRoots), "{trouble}");
    serving.abort();
}
