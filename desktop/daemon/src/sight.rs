//! What the classifier may ask about the world, answered by looking: links, programs, repositories, private files. Looks
//! have bounds, and what can't be told in them is unknown, which never counts in anybody's favour.

mod config;
mod private;
mod program;
mod push;
mod repository;
mod settings;
mod trail;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use countersign_core::classify::{Program, Push, Real, Resolver};
use tokio::sync::Semaphore;

pub use self::program::User;

/// How long all looks of one judgement may take together; a network folder that does not answer takes longer. A hook before
/// each call has to be answered within a second (REQ-4).
const PATIENCE: Duration = Duration::from_millis(700);
/// Most judgements that look at the same time. Those that a dead network folder holds keep their place until it answers.
const MOST_AT_ONCE: usize = 16;

static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(MOST_AT_ONCE)));

/// Looks with a user's eyes, from where a session stands.
#[derive(Debug, Clone)]
pub struct Sight {
    /// The PATH that the agent has; `None` where it is not known.
    pub path: Option<String>,
    /// The user's home folder.
    pub home: String,
    /// The session's project.
    pub worktree: String,
    /// Where the user keeps temporary files, besides the system's own places.
    pub temporary: Option<String>,
    /// The user that agents run as.
    pub user: User,
}

/// Sees nothing: every answer is the one that counts in nobody's favour.
#[derive(Debug, Clone, Copy)]
pub struct Blind;

/// Judges with a look at the world, off this thread; blindly where looking takes too long, or too many look already.
pub async fn judge<T: Send + 'static>(
    sight: Sight,
    judge: impl Fn(&dyn Resolver) -> T + Send + Sync + 'static,
) -> T {
    within(PATIENCE, sight, judge).await
}

async fn within<T: Send + 'static>(
    patience: Duration,
    sight: Sight,
    judge: impl Fn(&dyn Resolver) -> T + Send + Sync + 'static,
) -> T {
    let judge = Arc::new(judge);
    let Ok(place) = Arc::clone(&PLACES).try_acquire_owned() else { return judge(&Blind) };
    let looking = tokio::task::spawn_blocking({
        let judge = Arc::clone(&judge);
        move || {
            let _place = place;
            judge(&sight)
        }
    });
    match tokio::time::timeout(patience, looking).await {
        Ok(Ok(judged)) => judged,
        Ok(Err(_)) | Err(_) => judge(&Blind),
    }
}

impl Resolver for Sight {
    fn real(&self, path: &str) -> Real {
        trail::follow(path).map_or(Real::Unknown, |trail| Real::At(trail.end))
    }

    fn program(&self, name: &str, folder: &str) -> Program {
        program::find(self, name, folder)
    }

    fn push(&self, folder: &str) -> Push {
        push::branches(folder, &self.home).map_or(Push::Unknown, Push::To)
    }

    fn git_starts_programs(&self, folder: &str) -> bool {
        settings::start_programs(folder, &self.home).unwrap_or(true)
    }

    fn holds_private(&self, folder: &str) -> bool {
        private::is_below(folder, &self.home)
    }
}

impl Resolver for Blind {
    fn real(&self, _: &str) -> Real {
        Real::Unknown
    }

    fn program(&self, _: &str, _: &str) -> Program {
        Program::Unknown
    }

    fn push(&self, _: &str) -> Push {
        Push::Unknown
    }

    fn git_starts_programs(&self, _: &str) -> bool {
        true
    }

    fn holds_private(&self, _: &str) -> bool {
        true
    }
}

/// It can't be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Untold;

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn anyone() -> Sight {
        Sight {
            path: None,
            home: "/home/ada".into(),
            worktree: "/home/ada/site".into(),
            temporary: None,
            user: User { id: 1_000, groups: vec![1_000] },
        }
    }

    #[tokio::test]
    async fn a_judgement_looks() {
        assert_eq!(judge(anyone(), |world| world.real("/")).await, Real::At("/".into()));
    }

    #[tokio::test]
    async fn a_look_that_takes_too_long_is_judged_blindly() {
        let (answer, answers) = mpsc::channel::<()>();
        let answers = std::sync::Mutex::new(answers);
        let judged = within(Duration::ZERO, anyone(), move |world| {
            let real = world.real("/");
            if real != Real::Unknown {
                // As a look at a network folder that answers after this test has its verdict.
                let _ = answers.lock().unwrap().recv();
            }
            real
        });
        assert_eq!(judged.await, Real::Unknown);
        drop(answer);
    }

    #[test]
    fn the_blind_know_nothing_good() {
        assert_eq!((Blind.real("/"), Blind.program("ls", "/")), (Real::Unknown, Program::Unknown));
        assert_eq!(Blind.push("/"), Push::Unknown);
        assert!(Blind.git_starts_programs("/") && Blind.holds_private("/"));
    }
}
