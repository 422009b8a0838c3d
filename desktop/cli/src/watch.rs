//! `watch`: the waiting cards on a screen, each shown whole, with keys that answer the card that is drawn (WHO-6).
//! [`screen`] thinks, [`draw`] draws, the rest touches the world.

mod draw;
mod link;
mod note;
mod palette;
mod rows;
mod screen;
mod tty;

#[cfg(test)]
mod tests;

use std::{process::ExitCode, time::Duration};

use countersign_daemon::clock::boot_ms;
use countersign_ipc::Instance;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::{
    link::Link,
    palette::Palette,
    screen::{Act, Happening, Screen},
    tty::Tty,
};
use crate::{
    output::{self, Terminal},
    signals,
    trouble::{Trouble, command},
};

/// Happenings that were not taken yet.
const UNTAKEN: usize = 64;
/// The longest time without a look at the clock.
const GLANCE: Duration = Duration::from_secs(1);

/// `watch`
pub async fn run(instance: &Instance) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::of_stdout();
    if !terminal.is_smart || !output::is_interactive() {
        return Err(Trouble::said(
            "`watch` needs a terminal it can draw in. Nothing was done.",
            format!("`{}` lists the cards that wait.", command(instance, "pending")),
        ));
    }
    let ended = signals::ending()?;
    let (happens, mut happenings) = mpsc::channel(UNTAKEN);
    let (asks, asked) = mpsc::unbounded_channel();
    let link = tokio::spawn(Link::new(instance.clone(), happens.clone()).run(asked));
    let mut tty = Tty::open(Palette::of(terminal)).map_err(Trouble::System)?;
    tty::listen(happens);
    let left = Watch { screen: Screen::default(), asks, tty: &mut tty }.run(&mut happenings, &ended).await;
    link.abort();
    drop(tty);
    left
}

struct Watch<'a> {
    screen: Screen,
    asks: mpsc::UnboundedSender<countersign_ipc::control::ControlRequest>,
    tty: &'a mut Tty,
}

impl Watch<'_> {
    async fn run(
        &mut self,
        happenings: &mut mpsc::Receiver<Happening>,
        ended: &CancellationToken,
    ) -> Result<ExitCode, Trouble> {
        loop {
            let drawing = self.tty.draw(&self.screen, boot_ms()).map_err(Trouble::Output)?;
            self.screen.drew(drawing);
            if let Some(left) = self.act()? {
                return Ok(left);
            }
            let nap = self
                .screen
                .poll_timeout(boot_ms())
                .map_or(GLANCE, |at| Duration::from_millis(at.saturating_sub(boot_ms())).min(GLANCE));
            tokio::select! {
                happening = happenings.recv() => match happening {
                    Some(Happening::Over(trouble)) => return Err(trouble),
                    Some(happening) => self.screen.handle(happening, boot_ms()),
                    None => return Ok(ExitCode::SUCCESS),
                },
                () = tokio::time::sleep(nap) => self.screen.handle(Happening::Tick, boot_ms()),
                () = ended.cancelled() => return Ok(ExitCode::SUCCESS),
            }
        }
    }

    fn act(&mut self) -> Result<Option<ExitCode>, Trouble> {
        while let Some(act) = self.screen.poll_act() {
            match act {
                // Without a link nothing can be asked, which the screen hears from it.
                Act::Ask(request) => drop(self.asks.send(request)),
                Act::Bell => self.tty.ring().map_err(Trouble::Output)?,
                Act::Leave => return Ok(Some(ExitCode::SUCCESS)),
            }
        }
        Ok(None)
    }
}
