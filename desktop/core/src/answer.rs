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
    Ask(Shown),
    Abstain,
}

/// Words that go with a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial(Ground);

/// What a denial rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ground {
    /// The person's choice, with their words if they gave any.
    Person(Option<Shown>),
    /// What is refused whoever asks, or a deny line, in our words.
    Refused(Shown),
}

impl Denial {
    /// One line for the agent, in a fixed frame (CARD-3).
    #[must_use]
    pub fn words(&self) -> String {
        match &self.0 {
            // Word for word: what a person wrote to the agent is not masked.
            Ground::Person(Some(note)) => {
                format!("The person declined this call. Their note: «{}»", note.as_str())
            }
            Ground::Person(None) => "The person declined this call.".to_owned(),
            Ground::Refused(why) => format!("Countersign refused this call: {why}"),
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
    /// Ask the person first, for this reason. It answers a hook that comes before every call (REQ-4); told to one that
    /// asks already, it is silence.
    Ask(&'a Shown),
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
        Self(Kind::Deny(Denial(Ground::Person(note.map(Shown::line)))))
    }

    /// No, because it is refused or a line denies it (ORD-1 steps 1 and 2).
    #[must_use]
    pub const fn refuse(why: Shown) -> Self {
        Self(Kind::Deny(Denial(Ground::Refused(why))))
    }

    /// Neither yes nor no: the person is to be asked first, whatever the agent's mode (REQ-4).
    #[must_use]
    pub const fn ask(why: Shown) -> Self {
        Self(Kind::Ask(why))
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
            Kind::Ask(why) => Told::Ask(why),
            Kind::Abstain => Told::Abstain,
        }
    }
}
