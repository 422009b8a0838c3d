//! *Always*: one exact request that a person said yes to for good (RULE). A rule is exact by construction: it is made
//! from a request that was on a card, and covers only a request with the same rule key, programs and files.

use countersign_proto::{
    canonical, domain,
    id::{DeviceId, Hash},
    limits,
    request::{Dependency, Level},
    text::{Foreign, Shown},
};

use crate::{
    classify::{Facts, Program, facts::ProgramFact},
    draft::{Draft, SessionKey},
};

/// Names a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleId(pub [u8; 16]);

/// How far a rule reaches (RULE-2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One session; in memory only, and gone with it.
    Session(SessionKey),
    /// One project folder; saved.
    Project,
}

impl Scope {
    /// The name on cards, in the store and in `--json`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::Project => "project",
        }
    }
}

/// On whose word a rule or consent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnWord {
    /// A click or a confirmation at the desktop.
    Desktop,
    /// A phone's signed reply; suspended when that phone is revoked (PH-1).
    Phone(DeviceId),
}

/// A folder as the file system knows it, so that another one put in its place is another one (REQ-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderId {
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
}

/// One exact request that is always allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// How far it reaches.
    pub scope: Scope,
    /// The agent it is for.
    pub agent: String,
    /// The tool it is for.
    pub tool: Foreign,
    /// The project folder; absent for a session of which Countersign did not see the start.
    pub project: Option<Vec<u8>>,
    /// What must be the same: [`key`].
    pub key: Hash,
    /// The text that will be matched, as the card showed it.
    pub text: Foreign,
    /// The programs it starts, and where each was when the rule was saved (REQ-5).
    pub programs: Vec<(String, String)>,
    /// Scripts and build files it depends on (REQ-6).
    pub depends: Vec<Dependency>,
    /// The project folder's own identity.
    pub folder: Option<FolderId>,
    /// On whose word it stands.
    pub word: OnWord,
    /// When it was saved, in ms since 1970; shown only.
    pub wall_ms: u64,
    /// Whether it stands but answers nothing until a person looked at it (PH-1).
    pub is_suspended: bool,
}

/// Why *Always* is not on offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOffered {
    /// Red, destructive, spend, guard, too long, several lines, or hiding something (RULE-3).
    Request,
    /// The session's start was not seen, or the call is not whole: no project scope.
    Project,
    /// A script or build file that decides what it runs can't be seen (REQ-6).
    Driver,
    /// A program it starts lies in the project or can't be told apart from one that does (REQ-5).
    Program,
}

/// How a rule takes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// It covers it.
    Yes,
    /// It is about something else.
    No,
    /// It would, but what the call runs is no longer what it was (REQ-5, REQ-6).
    Changed,
}

/// What a rule key is made of, as canonical CBOR, so that no two requests run into each other.
#[derive(Debug, minicbor::Encode)]
#[cbor(map)]
struct KeyParts<'a> {
    #[n(0)]
    agent: &'a str,
    #[n(1)]
    tool: &'a str,
    #[n(2)]
    #[cbor(with = "minicbor::bytes")]
    project: Option<&'a [u8]>,
    #[n(3)]
    #[cbor(with = "minicbor::bytes")]
    folder: &'a [u8],
    #[n(4)]
    #[cbor(with = "minicbor::bytes")]
    input: &'a [u8],
}

/// The rule key of a request: agent, tool, folders and everything of the tool input that is not advisory, as the adapter
/// put it into words (RULE-1).
#[must_use]
pub fn key(agent: &str, tool: &Foreign, project: Option<&[u8]>, folder: &[u8], input: &[u8]) -> Hash {
    let parts = KeyParts { agent, tool: tool.raw(), project, folder, input };
    domain::hash(domain::RULE, &[&canonical::encode(&parts)])
}

impl Rule {
    /// Whether *Always* with this scope may be offered for a request (RULE-3).
    ///
    /// # Errors
    /// [`NotOffered`].
    pub fn offerable(draft: &Draft, scope: &Scope) -> Result<(), NotOffered> {
        if !is_open(&draft.facts) {
            return Err(NotOffered::Request);
        }
        if !draft.can_be_pinned {
            return Err(NotOffered::Driver);
        }
        if resolved(draft.facts.programs()).is_none() {
            return Err(NotOffered::Program);
        }
        match scope {
            Scope::Session(_) => Ok(()),
            Scope::Project if draft.whole && draft.start_folder.is_some() && draft.project.is_some() => {
                Ok(())
            }
            Scope::Project => Err(NotOffered::Project),
        }
    }

    /// Makes the rule of a request; `None` where it may not be remembered.
    #[must_use]
    pub fn of(id: RuleId, draft: &Draft, scope: Scope, word: OnWord, wall_ms: u64) -> Option<Self> {
        Self::offerable(draft, &scope).ok()?;
        Some(Self {
            id,
            scope,
            agent: draft.session.agent.clone(),
            tool: draft.tool.clone(),
            project: draft.start_folder.clone(),
            key: draft.rule_key,
            text: draft.rule_text.clone().into(),
            programs: resolved(draft.facts.programs())?,
            depends: draft.depends.clone(),
            folder: draft.project,
            word,
            wall_ms,
            is_suspended: false,
        })
    }

    /// Whether this rule answers a request. A rule never answers what may not be remembered, however old it is: the facts
    /// of today decide (RULE-3, CARD-4).
    #[must_use]
    pub fn covers(&self, draft: &Draft) -> Cover {
        let is_of_session = match &self.scope {
            Scope::Session(session) => *session == draft.session,
            Scope::Project => true,
        };
        let is_same = self.agent == draft.session.agent
            && self.tool == draft.tool
            && self.key == draft.rule_key
            && self.project == draft.start_folder;
        if !is_of_session || !is_same || self.is_suspended || !is_open(&draft.facts) {
            return Cover::No;
        }
        let is_unchanged = resolved(draft.facts.programs()).is_some_and(|programs| programs == self.programs)
            && self.depends == draft.depends
            && self.folder == draft.project;
        if is_unchanged { Cover::Yes } else { Cover::Changed }
    }

    /// The canonical bytes by which a store keeps a rule for a project.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        canonical::encode(&Stored {
            id: self.id.0,
            agent: self.agent.clone(),
            tool: self.tool.clone(),
            project: self.project.clone(),
            key: self.key,
            text: self.text.clone(),
            programs: self.programs.clone(),
            depends: self.depends.clone(),
            folder: self.folder.map(|folder| (folder.device, folder.inode)),
            device: match self.word {
                OnWord::Desktop => None,
                OnWord::Phone(device) => Some(device),
            },
            wall_ms: self.wall_ms,
        })
    }

    /// Reads what [`Self::encode`] wrote; `None` for anything else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let stored: Stored = canonical::decode(bytes, limits::MESSAGE).ok()?;
        Some(Self {
            id: RuleId(stored.id),
            scope: Scope::Project,
            agent: stored.agent,
            tool: stored.tool,
            project: stored.project,
            key: stored.key,
            text: stored.text,
            programs: stored.programs,
            depends: stored.depends,
            folder: stored.folder.map(|(device, inode)| FolderId { device, inode }),
            word: stored.device.map_or(OnWord::Desktop, OnWord::Phone),
            wall_ms: stored.wall_ms,
            is_suspended: false,
        })
    }

    /// What a list shows of it.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.text.shown()
    }
}

/// A rule for a project, as it is kept. Whether it is suspended stands beside it.
#[derive(Debug, minicbor::Encode, minicbor::Decode)]
#[cbor(map)]
struct Stored {
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    id: [u8; 16],
    #[n(1)]
    agent: String,
    #[n(2)]
    tool: Foreign,
    #[n(3)]
    #[cbor(with = "minicbor::bytes")]
    project: Option<Vec<u8>>,
    #[n(4)]
    key: Hash,
    #[n(5)]
    text: Foreign,
    #[n(6)]
    programs: Vec<(String, String)>,
    #[n(7)]
    depends: Vec<Dependency>,
    #[n(8)]
    folder: Option<(u64, u64)>,
    #[n(9)]
    device: Option<DeviceId>,
    #[n(10)]
    wall_ms: u64,
}

/// Whether a request of these facts may be remembered at all.
fn is_open(facts: &Facts) -> bool {
    facts.may_remember() && facts.level() != Level::Red && facts.refused().is_none()
}

/// Name and path of every program, where each is certain and none lies in the project.
fn resolved(programs: &[ProgramFact]) -> Option<Vec<(String, String)>> {
    let mut all = Vec::with_capacity(programs.len());
    for fact in programs {
        let path = match &fact.program {
            Program::Trusted(path) | Program::Writable(path) if !fact.is_in_project => path,
            Program::Trusted(_) | Program::Writable(_) | Program::Missing | Program::Unknown => return None,
        };
        all.push((fact.name.clone(), path.clone()));
    }
    all.sort();
    all.dedup();
    Some(all)
}
