//! Which of several daemons of one person is meant: the everyday one, or one with a name (demo, tests).

use core::{fmt, str::FromStr};

/// The everyday daemon, or a named one whose folders lie beside its.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instance(Option<String>);

/// A text that can't name an instance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` can't name an instance: 1 to {LONGEST} of a–z, 0–9 and `-`")]
pub struct BadInstance(String);

/// Longest name of an instance.
pub const LONGEST: usize = 32;

impl Instance {
    /// The everyday instance, which has no name.
    pub const MAIN: Self = Self(None);

    /// The name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Its folder's name: `countersign`, or `countersign-NAME`.
    #[must_use]
    pub fn folder(&self) -> String {
        match &self.0 {
            None => "countersign".to_owned(),
            Some(name) => format!("countersign-{name}"),
        }
    }
}

impl FromStr for Instance {
    type Err = BadInstance;

    fn from_str(name: &str) -> Result<Self, BadInstance> {
        let fits = (1..=LONGEST).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if fits {
            Ok(Self(Some(name.to_owned())))
        } else {
            Err(BadInstance(
                name.chars().take(80).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect(),
            ))
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.folder())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_only_be_one_plain_part_of_a_path() {
        assert_eq!("demo-2".parse::<Instance>().unwrap().folder(), "countersign-demo-2");
        assert_eq!(Instance::MAIN.folder(), "countersign");
        for bad in ["", ".", "..", "a/b", "Demo", "a b", "é", "a\0", &"x".repeat(33)] {
            assert!(bad.parse::<Instance>().is_err(), "{bad:?}");
        }
    }
}
