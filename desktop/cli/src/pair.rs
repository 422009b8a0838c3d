//! `pair`: shows a ticket, asks for the digits that the phone shows, and says which phone it became (PH-1). The ticket is
//! a secret: it goes to the terminal, and to the picture that was asked for, and nowhere else.

mod ceremony;
mod face;
mod qr;

use std::process::ExitCode;

use countersign_ipc::Instance;

pub use self::ceremony::{Wishes, ceremony};
use crate::{arguments::Pair, keyboard::Keyboard, signals, trouble::Trouble};

/// `pair`
pub async fn run(instance: &Instance, pair: Pair) -> Result<ExitCode, Trouble> {
    let wishes = Wishes { relay: pair.relay, invite: pair.invite, png: pair.png, is_json: pair.json };
    ceremony(instance, &wishes, &mut Keyboard::default(), &signals::ending()?).await?;
    Ok(ExitCode::SUCCESS)
}
