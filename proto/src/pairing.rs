//! Pairing: the ceremony that makes a phone an approver (protocol.md §4). Two machines without I/O,
//! [`DesktopPairing`] and [`PhonePairing`]; each input gives at most one command for the shell to carry out.
//!
//! | step | phone | desktop |
//! |---|---|---|
//! | 0 | | [`Ticket::new`], shown as a QR; `DesktopPairing::start` |
//! | 1 | [`Ticket::parse`], `PhonePairing::start` gives message 1 | `receive` → `Send` message 2 |
//! | 2 | `receive` → `MakeBioKey`; `bio_key_made` → `ShowCode` with message 3 | `receive` → `CheckPhone`; `judged` → `AskCode` |
//! | 3 | the person reads the code | `type_code` → `Send` `PairDesktop`, or `WrongCode` |
//! | 4 | `receive` → `SignBio`; `bio_signed` → `Send` `PairPhone` | `receive` → `Store`; `stored` → `Send` `PairDone` |
//! | 5 | `receive` → `Store`: this desktop is paired | |
//!
//! - [`Outgoing::first`] tells how to hand an envelope to the relay. The rendezvous channel is [`Ticket::rendezvous`].
//! - `receive` refuses what does not belong here; such an envelope is dropped and changes nothing. What ends the
//!   pairing comes as a `Failed` command with the words for the person; the machine then only refuses.
//! - A machine is dropped to give up. `poll_timeout` says when to call `expire`.
//! - `PairDone` is the phone's only word on its channel: keep the rendezvous channel until the phone was seen on the new
//!   one or the ticket's time is over.

mod chain;
mod code;
mod desktop;
mod host;
mod payload;
mod phone;
mod proof;
mod ticket;

pub use self::{
    chain::Chain,
    code::{BadCode, Code, CodeKeys, commit, derive_code},
    desktop::{
        AboutDesktop, DesktopCommand, DesktopFailure, DesktopPairing, DesktopRandom, Objection, PairedPhone,
        PhoneClaims,
    },
    host::{BadRelayHost, RelayHost},
    payload::{AttestationPolicy, Enrolment, Opening, Terms},
    phone::{AboutPhone, PairedDesktop, PhoneCommand, PhoneFailure, PhonePairing},
    proof::{Bound, PairDesktop, PairDone, PairPhone, derive_desktop_id, derive_device_id},
    ticket::{Link, Ticket, TicketError, TicketSecret},
};
use crate::{
    domain,
    id::Hash,
    key::{AgreementKey, Secret32},
    limits,
    noise::{Handshake, Pattern, Role, Setup},
    refusal::Refusal,
};

/// The one pairing version there is.
pub const VERSION: u8 = 1;

/// An envelope for the rendezvous channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its bytes.
    pub envelope: Vec<u8>,
    /// Whether it is sent as `first`.
    pub first: bool,
}

/// An input that is not due in the present state: a fault of the shell, or a pairing that is already over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this step of the pairing is not due")]
pub struct OutOfTurn;

/// Starts one side's handshake, bound to the ticket by psk, prologue and the desktop's key.
fn handshake(
    ticket: &Ticket,
    role: Role,
    own: AgreementKey,
    ephemeral: Secret32,
) -> Result<Handshake, Refusal> {
    let peer = match role {
        Role::Initiator => Some(ticket.desktop()),
        Role::Responder => None,
    };
    let prologue = domain::sig(domain::PAIR, &[&[VERSION], ticket.rendezvous().as_bytes()]);
    Handshake::new(Setup {
        pattern: Pattern::XkPsk0,
        role,
        own,
        peer,
        psk: ticket.psk(),
        prologue,
        ephemeral,
    })
}

/// `pair_psk = HKDF(ikm = S ‖ n_p ‖ n_d, salt = h)`.
fn derive_pair_psk(secret: &TicketSecret, phone: &Secret32, desktop: &Secret32, h: &Hash) -> Secret32 {
    let mut ikm = zeroize::Zeroizing::new(Vec::with_capacity(80));
    for piece in [secret.expose().as_slice(), phone.expose(), desktop.expose()] {
        ikm.extend_from_slice(piece);
    }
    Secret32::new(domain::derive(domain::PAIR_PSK, &ikm, h.as_bytes(), &[]))
}

/// Whether a name is short enough to be kept.
fn fits_name(name: &crate::text::Foreign) -> bool {
    name.raw().chars().count() <= limits::NAME_CHARS
}

fn millis(duration: core::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
