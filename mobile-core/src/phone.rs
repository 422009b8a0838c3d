//! One paired desktop as this phone sees it, behind one `handle`. Once revoked it holds no key, only its history.

mod decide;
mod io;
mod paired;
mod receive;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod weather;
#[cfg(test)]
mod world;

use std::collections::VecDeque;

use countersign_proto::{id::DesktopId, text::Foreign};

pub use self::io::{Alarm, Command, Event, Input, StoreId};
use self::paired::{After, Paired};
use crate::{
    choice::CannotAnswer,
    clock::{Fresh, Now},
    inbox::Inbox,
    pair::Pair,
    vault::{Vault, VaultError},
};

/// One desktop on this phone.
#[derive(Debug)]
pub struct Phone {
    state: State,
}

#[derive(Debug)]
enum State {
    Paired(Box<Paired>),
    Revoked { inbox: Inbox, commands: VecDeque<Command> },
}

impl Phone {
    /// A desktop as it was just paired; `app` is what `Hello` says of this program.
    #[must_use]
    pub fn new(pair: Pair, app: Foreign) -> Self {
        Self { state: State::Paired(Box::new(Paired::new(pair, app))) }
    }

    /// A desktop paired earlier, from the records kept of it; `None` where there are none.
    ///
    /// # Errors
    /// [`VaultError::Damaged`] where a record is missing or not what was written: a phone that does not know its counter
    /// must not sign.
    pub fn load(vault: &dyn Vault, desktop: DesktopId, app: Foreign) -> Result<Option<Self>, VaultError> {
        let paired = Paired::load(vault, desktop, app)?;
        Ok(paired.map(|paired| Self { state: State::Paired(Box::new(paired)) }))
    }

    /// The pairing, unless it was revoked.
    #[must_use]
    pub fn pair(&self) -> Option<&Pair> {
        match &self.state {
            State::Paired(paired) => Some(paired.pair()),
            State::Revoked { .. } => None,
        }
    }

    /// The cards.
    #[must_use]
    pub fn inbox(&self) -> &Inbox {
        match &self.state {
            State::Paired(paired) => paired.inbox(),
            State::Revoked { inbox, .. } => inbox,
        }
    }

    /// Takes one input; afterwards [`poll_command`](Self::poll_command) gives what is to be done.
    pub fn handle(&mut self, input: Input, fresh: Fresh, now: Now) {
        match &mut self.state {
            State::Paired(paired) => match paired.handle(input, fresh, now) {
                After::Paired => {}
                After::Revoked => {
                    let (inbox, commands) = paired.take_remains();
                    // The old state goes here, and with it every key.
                    self.state = State::Revoked { inbox, commands };
                }
            },
            State::Revoked { commands, .. } => match input {
                Input::Decide { offer_id, .. } => {
                    commands.push_back(Command::Show(Event::NotTaken(offer_id, CannotAnswer::Revoked)));
                }
                Input::Lock => commands.push_back(Command::Show(Event::Revoked)),
                Input::Connected
                | Input::Disconnected
                | Input::Peer { .. }
                | Input::Delivered { .. }
                | Input::SeenToEnd { .. }
                | Input::Unfold { .. }
                | Input::Stored(_)
                | Input::StoreFailed(_)
                | Input::BioSigned { .. }
                | Input::BioCancelled { .. }
                | Input::BioInvalidated { .. }
                | Input::Tick => {}
            },
        }
    }

    /// The next thing to be done.
    pub fn poll_command(&mut self) -> Option<Command> {
        match &mut self.state {
            State::Paired(paired) => paired.commands.pop_front(),
            State::Revoked { commands, .. } => commands.pop_front(),
        }
    }

    /// When to come back with [`Input::Tick`], as boot time in ms.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        match &self.state {
            State::Paired(paired) => paired.next_ms(),
            State::Revoked { .. } => None,
        }
    }
}
