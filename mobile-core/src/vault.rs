//! The phone's small durable store, which the shell provides and seals (Android: a non-exportable Keystore key).
//! It holds, for each paired desktop, the pairing, the counter and the newest audit head; never an offer or a reply.

use core::fmt;

use countersign_proto::id::DesktopId;
use zeroize::Zeroizing;

/// Why a record could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The store itself failed.
    #[error("the phone's store failed: {0}")]
    Failed(String),
    /// A record that is not what was written.
    #[error("the record `{0}` can't be read: pair this phone anew")]
    Damaged(String),
}

/// What the shell provides. A write is durable when it returns.
pub trait Vault {
    /// Reads a record.
    ///
    /// # Errors
    /// [`VaultError`].
    fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError>;

    /// Writes a record over the one that was there.
    ///
    /// # Errors
    /// [`VaultError`]; the record is then the old one or the new one.
    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaultError>;

    /// Removes a record, present or not.
    ///
    /// # Errors
    /// [`VaultError`].
    fn delete(&mut self, name: &str) -> Result<(), VaultError>;

    /// The names of all records.
    ///
    /// # Errors
    /// [`VaultError`].
    fn names(&self) -> Result<Vec<String>, VaultError>;
}

/// Which of a desktop's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Keys and names.
    Pair,
    /// The counter of the last signed word.
    Counter,
    /// The newest audit head.
    Head,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Pair, Self::Counter, Self::Head];

    const fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Counter => "counter",
            Self::Head => "head",
        }
    }
}

/// One record of one paired desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// The desktop.
    pub desktop: DesktopId,
    /// Which of its records.
    pub part: Part,
}

impl Record {
    /// The desktop whose pairing a record's name stands for, if it is a pairing's.
    #[must_use]
    pub fn pair_of(name: &str) -> Option<DesktopId> {
        name.strip_suffix("/pair")?.parse().ok()
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.desktop, self.part.name())
    }
}

/// One thing to be written down.
#[derive(Clone, PartialEq, Eq)]
pub struct Change {
    /// Which record.
    pub record: Record,
    /// Its new bytes.
    pub bytes: Zeroizing<Vec<u8>>,
}

impl Change {
    /// Writes it.
    ///
    /// # Errors
    /// [`VaultError`].
    pub fn apply(&self, vault: &mut dyn Vault) -> Result<(), VaultError> {
        vault.put(&self.record.to_string(), &self.bytes)
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({}, {} bytes)", self.record, self.bytes.len())
    }
}

/// Removes everything a phone keeps of one desktop: keys first.
///
/// # Errors
/// The first [`VaultError`]; the other records are tried all the same.
pub fn wipe(vault: &mut dyn Vault, desktop: DesktopId) -> Result<(), VaultError> {
    let delete = |part| vault.delete(&Record { desktop, part }.to_string());
    Part::ALL.map(delete).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_named_by_desktop_and_part_and_only_a_pairing_reads_back() {
        let desktop = DesktopId::new([0xab; 32]);
        let name = |part| Record { desktop, part }.to_string();
        assert_eq!(name(Part::Counter), format!("{}/counter", "ab".repeat(32)));
        assert_eq!(Record::pair_of(&name(Part::Pair)), Some(desktop));
        assert_eq!(Record::pair_of(&name(Part::Head)), None);
        assert_eq!(Record::pair_of("zz/pair"), None);
    }

    #[test]
    fn no_debug_text_shows_what_is_stored() {
        let record = Record { desktop: DesktopId::new([1; 32]), part: Part::Pair };
        let change = Change { record, bytes: Zeroizing::new(vec![0xab; 4]) };
        assert!(format!("{change:?}").ends_with("pair, 4 bytes)"));
    }
}
