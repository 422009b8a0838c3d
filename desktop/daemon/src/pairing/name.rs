//! What a phone is called: by its model as it says, and by two words that follow from its approval key, so that a person
//! can tell two phones of one model apart.

use countersign_proto::{domain, key::BioKey, limits, text::Foreign};

/// 128 adjectives, then 128 nouns.
const WORDS: &str = include_str!("words.txt");
const HALF: usize = 128;

/// Two words for an approval key.
pub(super) fn words(key: &BioKey) -> String {
    let hash = domain::hash(domain::SPKI, &[key.spki_der()]);
    let [first, second, ..] = hash.as_bytes();
    let word = |from: usize, byte: u8| WORDS.lines().nth(from + usize::from(byte) % HALF).unwrap_or_default();
    format!("{} {}", word(0, *first), word(HALF, *second))
}

/// The name shown from now on: the model, with the two words where the model says nothing or is taken already.
pub(super) fn name(model: &Foreign, words: &str, is_taken: impl Fn(&str) -> bool) -> Foreign {
    let model = model.raw().trim();
    let name = match model {
        "" => words.to_owned(),
        model if is_taken(model) => format!("{model} ({words})"),
        model => model.to_owned(),
    };
    Foreign::new(name.chars().take(limits::NAME_CHARS).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use p256::pkcs8::EncodePublicKey as _;

    use super::*;

    #[test]
    fn there_are_twice_128_short_words_of_plain_letters_and_none_twice() {
        let all: Vec<&str> = WORDS.lines().collect();
        let different: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!((all.len(), different.len()), (2 * HALF, 2 * HALF));
        assert!(all.iter().all(|word| word.len() <= 9 && word.bytes().all(|b| b.is_ascii_lowercase())));
    }

    #[test]
    fn a_key_always_has_the_same_two_words_and_another_key_has_others() {
        let key = |nth: u8| {
            let secret = p256::SecretKey::from_slice(&[nth; 32]).unwrap();
            BioKey::from_spki_der(secret.public_key().to_public_key_der().unwrap().as_bytes()).unwrap()
        };
        assert_eq!(words(&key(1)), words(&key(1)));
        assert_ne!(words(&key(1)), words(&key(2)));
        assert_eq!(words(&key(1)).split(' ').count(), 2);
    }

    #[test]
    fn a_phone_is_called_by_its_model_and_by_two_words_where_that_is_not_enough() {
        let free = |_: &str| false;
        assert_eq!(name(&Foreign::new(" demo phone "), "calm otter", free).raw(), "demo phone");
        assert_eq!(name(&Foreign::new("  "), "calm otter", free).raw(), "calm otter");
        let taken = |model: &str| model == "demo phone";
        assert_eq!(name(&Foreign::new("demo phone"), "calm otter", taken).raw(), "demo phone (calm otter)");
        let long = Foreign::new("x".repeat(200));
        assert_eq!(name(&long, "calm otter", free).raw().chars().count(), limits::NAME_CHARS);
    }
}
