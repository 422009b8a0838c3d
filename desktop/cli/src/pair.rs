//! `pair`: shows a ticket, asks for the digits that the phone shows, and says which phone it became (PH-1). The ticket is
//! a secret: it goes to the terminal, and to the picture that was asked for, and nowhere else.

mod ceremony;
mod face;
mod qr;

use std::process::ExitCode;

use countersign_ipc::Instance;

pub use self::ceremony::{Wishes, ceremony};
use crate::{arguments::Pair, keyboard::Keyboard, output, signals, status, trouble::Trouble};

const NOT_YET: &str = "\
This version can't verify a phone's hardware yet, so it refuses every phone in the end. To see it all with a demo phone,
end this and run: countersign up --demo

";

/// `pair`
pub async fn run(instance: &Instance, pair: Pair) -> Result<ExitCode, Trouble> {
    let status = status::fetch(instance).await?;
    if !status.demo && !pair.json {
        output::print(NOT_YET)?;
    }
    let wishes = Wishes { relay: pair.relay, invite: pair.invite, png: pair.png, is_json: pair.json };
    ceremony(instance, &wishes, &mut Keyboard::default(), &signals::ending()?).await?;
    Ok(ExitCode::SUCCESS)
}
