//! Opens a byte stream to a relay: TCP, then TLS where the address wants it. The system's root certificates decide, or
//! the one pinned key.

use std::{io, sync::Arc, time::Duration};

use countersign_proto::{frame::CloseCode, pairing::Link};
use rustls::{CertificateError, ClientConfig, RootCertStore, crypto::CryptoProvider, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::{
    address::{Address, BadAddress},
    pin::{OtherCertificate, Pinned},
};
use crate::relay_child::ChildError;

/// For everything up to the relay's first word, and for each answer it owes.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The record names no relay that can be dialled.
    #[error(transparent)]
    Address(#[from] BadAddress),
    /// Our own relay does not run.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// The network's word.
    #[error("the relay can't be reached: {0}")]
    Unreachable(io::Error),
    /// Nothing came in time.
    #[error("the relay does not answer")]
    Silent,
    /// The pinned certificate is another.
    #[error(transparent)]
    Certificate(OtherCertificate),
    /// TLS failed.
    #[error("no trusted connection to the relay: {0}")]
    Tls(io::Error),
    /// There is nothing to judge a certificate by.
    #[error("this system has no root certificates to trust: install the package `ca-certificates`")]
    NoRoots,
    /// Whatever answers is none.
    #[error("what answers there is no relay of this version: {0}")]
    NoRelay(String),
    /// The claim failed: the relay does not know the channel, or not our key for it.
    #[error("the relay does not know this channel")]
    Refused,
    /// The relay said why.
    #[error("the relay closed the connection: {}", .0.reason())]
    Closed(CloseCode),
    /// It ended without a word.
    #[error("the connection to the relay broke")]
    Broken,
    /// This computer slept.
    #[error("this computer was asleep")]
    Slept,
    /// No random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    /// No timer.
    #[error("the system gives no timer: {0}")]
    Timer(io::Error),
}

/// What can be read from and written to.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A stream to a relay.
pub(super) async fn dial(address: &Address) -> Result<Box<dyn Stream>, Trouble> {
    timeout(PATIENCE, open(address)).await.unwrap_or(Err(Trouble::Silent))
}

async fn open(address: &Address) -> Result<Box<dyn Stream>, Trouble> {
    let host = address.host().host();
    let stream = TcpStream::connect((host.as_str(), address.port())).await.map_err(Trouble::Unreachable)?;
    // Envelopes are small and wanted at once; a socket that can't promise it still works.
    let _ = stream.set_nodelay(true);
    let tls = match address.link() {
        Link::Plain => return Ok(Box::new(stream)),
        Link::Tls => trusting_roots().await?,
        Link::Pinned(pin) => pinned(*pin)?,
    };
    let name = ServerName::try_from(host).map_err(|error| Trouble::NoRelay(error.to_string()))?;
    let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await.map_err(untrusted)?;
    Ok(Box::new(stream))
}

async fn trusting_roots() -> Result<ClientConfig, Trouble> {
    let loaded = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(loaded.map(|loaded| loaded.certs).unwrap_or_default());
    if roots.is_empty() {
        return Err(Trouble::NoRoots);
    }
    let config = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    Ok(config.map_err(unfit)?.with_root_certificates(roots).with_no_client_auth())
}

fn pinned(pin: [u8; 32]) -> Result<ClientConfig, Trouble> {
    let provider = provider();
    let config = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let verifier = Arc::new(Pinned::new(pin, provider));
    Ok(config.map_err(unfit)?.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn untrusted(error: io::Error) -> Trouble {
    let is_other = matches!(
        error.get_ref().and_then(|error| error.downcast_ref()),
        Some(rustls::Error::InvalidCertificate(CertificateError::Other(other))) if other.0.is::<OtherCertificate>()
    );
    if is_other { Trouble::Certificate(OtherCertificate) } else { Trouble::Tls(error) }
}

fn unfit(error: rustls::Error) -> Trouble {
    Trouble::Tls(io::Error::other(error))
}
