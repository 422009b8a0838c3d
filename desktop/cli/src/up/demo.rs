//! A demo: pairs its phone at once, and is over when that phone leaves (PH-8).

use std::time::Duration;

use countersign_ipc::{
    Instance,
    control::{ControlRequest, Phone, PhoneState, PhoneWhich, RelayState, Status},
};
use tokio_util::sync::CancellationToken;

use super::activity::{Activity, Show};
use crate::{
    connection,
    keyboard::Keyboard,
    output,
    pair::{Wishes, ceremony},
    phones, status,
    trouble::{Trouble, command},
};

/// A phone that lost its connection may come back in this time.
const PATIENCE: Duration = Duration::from_secs(20);
/// For what is still to be said once its phone was revoked.
const LAST_WORD: Duration = Duration::from_millis(500);

/// How it stands with the phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Here,
    Away,
    Gone,
}

/// Pairs a phone and goes on until it leaves, or until the end.
pub(super) async fn accompany(
    instance: &Instance,
    phones: usize,
    is_json: bool,
    ended: &CancellationToken,
) -> Result<(), Trouble> {
    tokio::select! {
        paired = pair(instance, is_json, ended) => {
            let Some(phone) = paired? else { return Ok(()) };
            forget_others(instance, &phone).await?;
        }
        back = come_back(instance, phones), if phones > 0 => {
            back?;
            say(is_json, "\nThe phone of the demo before is back: the code above is over.\n")?;
        }
    }
    say(is_json, "The demo goes on until its phone leaves. What happens:\n")?;
    tokio::select! {
        left = until_it_leaves(instance, is_json) => left,
        () = ended.cancelled() => Ok(()),
    }
}

/// `None` where the end came first. A program gets one ticket after another: nobody there can ask for a new one.
async fn pair(
    instance: &Instance,
    is_json: bool,
    ended: &CancellationToken,
) -> Result<Option<Phone>, Trouble> {
    let wishes = Wishes { is_json, ..Wishes::default() };
    let mut keyboard = Keyboard::default();
    loop {
        tokio::select! {
            unlocked = until_unlocked(instance, is_json) => unlocked?,
            () = ended.cancelled() => return Ok(None),
        }
        match ceremony(instance, &wishes, &mut keyboard, ended).await {
            Ok(phone) => return Ok(Some(phone)),
            Err(_) if ended.is_cancelled() => return Ok(None),
            Err(Trouble::Expired) if !output::is_interactive() => {}
            // It was locked meanwhile.
            Err(_) if status::fetch(instance).await?.locked => {}
            Err(trouble) => return Err(trouble),
        }
    }
}

/// A desktop that is locked pairs nobody; the demo goes on, so that it can be unlocked.
async fn until_unlocked(instance: &Instance, is_json: bool) -> Result<(), Trouble> {
    let (mut activity, mut status) = Activity::open(instance, Show::Nothing).await?;
    if status.locked {
        let unlock = command(instance, "unlock");
        say(is_json, &format!("It is locked, and pairs no phone until `{unlock}`.\n"))?;
    }
    while status.locked {
        status = activity.next().await?;
    }
    Ok(())
}

/// Waits until a phone that was paired before is connected again.
async fn come_back(instance: &Instance, phones: usize) -> Result<(), Trouble> {
    let (mut activity, mut status) = Activity::open(instance, Show::Nothing).await?;
    while usize::try_from(status.phones) != Ok(phones) || status.phones_connected == 0 {
        status = activity.next().await?;
    }
    Ok(())
}

/// Software keys of earlier demos are gone for good; nobody should find them paired.
async fn forget_others(instance: &Instance, phone: &Phone) -> Result<(), Trouble> {
    let is_other = |other: &Phone| other.state != PhoneState::Revoked && other.device_id != phone.device_id;
    for other in phones::all(instance).await?.into_iter().filter(is_other) {
        let which = PhoneWhich::One(other.device_id);
        connection::ask(instance, &ControlRequest::PhonesRevoke { which }).await?;
    }
    Ok(())
}

async fn until_it_leaves(instance: &Instance, is_json: bool) -> Result<(), Trouble> {
    let (mut activity, mut status) = Activity::open(instance, Show::of(is_json)).await?;
    let mut before = Presence::Here;
    loop {
        let now = Presence::of(&status);
        if (before, now) == (Presence::Here, Presence::Away) {
            let seconds = PATIENCE.as_secs();
            say(
                is_json,
                &format!("The demo phone is away; the demo is over in {seconds} s unless it comes back.\n"),
            )?;
        }
        before = now;
        status = match now {
            Presence::Here => activity.next().await?,
            Presence::Away => match tokio::time::timeout(PATIENCE, activity.next()).await {
                Ok(status) => status?,
                Err(_) => return say(is_json, "The demo phone is gone, so the demo is over.\n"),
            },
            Presence::Gone => {
                say(is_json, "The demo phone was revoked, so the demo is over.\n")?;
                // Whoever revoked it, and the phone itself, hear of that first.
                tokio::time::sleep(LAST_WORD).await;
                return Ok(());
            }
        };
    }
}

impl Presence {
    /// While the relay is away nobody can tell.
    fn of(status: &Status) -> Self {
        match (status.phones, status.phones_connected, &status.relay) {
            (0, _, _) => Self::Gone,
            (_, 0, RelayState::Connected { .. }) => Self::Away,
            (_, _, RelayState::Connected { .. } | RelayState::Connecting { .. } | RelayState::Off {}) => {
                Self::Here
            }
        }
    }
}

fn say(is_json: bool, words: &str) -> Result<(), Trouble> {
    if is_json { Ok(()) } else { output::print(words) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_phone_is_away_only_where_the_relay_would_know_and_gone_when_it_is_revoked() {
        let relay = || "127.0.0.1:1".to_owned();
        let of = |phones, phones_connected, relay| {
            Presence::of(&Status { phones, phones_connected, relay, ..samples::status() })
        };
        assert_eq!(of(1, 1, RelayState::Connected { relay: relay() }), Presence::Here);
        assert_eq!(of(1, 0, RelayState::Connected { relay: relay() }), Presence::Away);
        let trouble = "refused".to_owned();
        assert_eq!(of(1, 0, RelayState::Connecting { relay: relay(), trouble }), Presence::Here);
        assert_eq!(of(0, 0, RelayState::Off {}), Presence::Gone);
    }
}
