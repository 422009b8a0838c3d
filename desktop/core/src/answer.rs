//! What an agent is told. A yes can only be made from an [`Authority`].

use countersign_proto::text::Shown;

use crate::authority::Authority;

/// The answer to one hook. Neither `Clone` nor serialisable: it exists once and is used once.
#[derive(Debug)]
pub struct Answer(Kind);

#[derive(Debug)]
enum Kind {
    Allow(Authority),
    Deny(Denial),
    Abstain,
}

/// Words that go with a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    note: Option<Shown>,
}

impl Denial {
    /// One line for the agent, in a fixed frame (CARD-3).
    #[must_use]
    pub fn words(&self) -> String {
        match &self.note {
            // Word for word: what a person wrote to the agent is not masked.
            Some(note) => format!("The person declined this call. Their note: «{}»", note.as_str()),
            None => "The person declined this call.".to_owned(),
        }
    }
}

/// What an adapter renders.
#[derive(Debug)]
pub enum Told<'a> {
    /// Run the call, for the reason that the authority holds.
    Allow(&'a Authority),
    /// Don't, and say these words.
    Deny(&'a Denial),
    /// Nothing: ask for yourself.
    Abstain,
}

impl Answer {
    /// Yes: the only constructor of one.
    #[must_use]
    pub const fn allow(authority: Authority) -> Self {
        Self(Kind::Allow(authority))
    }

    /// No, with the person's words if they gave any.
    #[must_use]
    pub fn deny(note: Option<&str>) -> Self {
        Self(Kind::Deny(Denial { note: note.map(Shown::line) }))
    }

    /// No answer: the agent asks in its own terminal.
    #[must_use]
    pub const fn abstain() -> Self {
        Self(Kind::Abstain)
    }

    /// What to render.
    #[must_use]
    pub const fn told(&self) -> Told<'_> {
        match &self.0 {
            Kind::Allow(authority) => Told::Allow(authority),
            Kind::Deny(denial) => Told::Deny(denial),
            Kind::Abstain => Told::Abstain,
        }
    }
}
