//! A paired demo phone at work: between its socket, its core and whoever gives orders, until its desktop is gone.

use std::time::{Duration, Instant};

use countersign_mobile_core::{
    choice::Choice,
    drive::{Driver, Outward},
    inbox::{Section, Stage},
    phone::{Event, Input},
    signer::Subject,
    vault::{Part, Record, Vault},
};
use countersign_proto::id::{DesktopId, OfferId};
use tokio::{sync::mpsc, time};

use crate::{
    clock::{self, now},
    finger::Finger,
    hostile::Replay,
    order::{Order, Target},
    relay::{FromSocket, Lost, Mailbox, Socket, ToSocket},
    report::{CardView, Report},
    settings::{Auto, Prompts, Settings},
    vault::DemoVault,
};

/// A phone on duty.
pub struct Duty {
    driver: Driver<DemoVault, Finger>,
    desktop: DesktopId,
    socket: Socket,
    settings: Settings,
    reports: mpsc::Sender<Report>,
    hold: Hold,
    replay: Option<Replay>,
    /// Since when the desktop has been away.
    away: Option<Instant>,
}

/// What happens to signed replies.
enum Hold {
    Open,
    /// The next signed word begins [`Hold::Back`].
    Armed,
    /// Kept back, in order.
    Back(Vec<ToSocket>),
}

impl Duty {
    /// A phone with its mailbox.
    pub fn new(
        driver: Driver<DemoVault, Finger>,
        desktop: DesktopId,
        mailbox: Mailbox,
        settings: Settings,
        reports: mpsc::Sender<Report>,
    ) -> Self {
        let hold = if settings.hold { Hold::Armed } else { Hold::Open };
        let (socket, away) = (Socket::open(mailbox), Some(Instant::now()));
        Self { driver, desktop, socket, settings, reports, hold, replay: None, away }
    }

    /// Works until the desktop is gone, the phone was revoked, or somebody says so: why it ended, in words.
    ///
    /// # Errors
    /// The machine gives no random bytes.
    pub async fn serve(mut self, orders: &mut mpsc::Receiver<Order>) -> anyhow::Result<String> {
        loop {
            let core = Duration::from_millis(
                self.driver.poll_timeout().map_or(60_000, |at| at.saturating_sub(now().boot_ms)),
            );
            let patience = self.away.map(|since| self.settings.linger.saturating_sub(since.elapsed()));
            let over = tokio::select! {
                from = self.socket.next() => match from {
                    Some(from) => self.heard(from).await?,
                    None => return Ok("the socket's task ended".to_owned()),
                },
                order = orders.recv() => match order {
                    Some(Order::Quit) | None => return Ok("stopped".to_owned()),
                    Some(order) => self.ordered(order).await?,
                },
                () = time::sleep(core) => self.input(Input::Tick).await?,
                () = time::sleep(patience.unwrap_or(Duration::MAX)), if patience.is_some() => {
                    return Ok("the desktop is gone".to_owned());
                }
            };
            if let Over::Yes(why) = over {
                return Ok(why);
            }
        }
    }

    async fn heard(&mut self, from: FromSocket) -> anyhow::Result<Over> {
        match from {
            FromSocket::Up { online } => {
                self.tell(Report::Relay(Ok(()))).await;
                self.input(Input::Connected).await?;
                self.input(Input::Peer { online }).await
            }
            FromSocket::Down(lost) => self.lost(&lost).await,
            FromSocket::Peer { online } => self.input(Input::Peer { online }).await,
            FromSocket::Delivered { envelope, age_ms } => {
                self.replayed(&envelope).await?;
                self.input(Input::Delivered { envelope, age_ms }).await
            }
        }
    }

    async fn lost(&mut self, lost: &Lost) -> anyhow::Result<Over> {
        self.tell(Report::Relay(Err(lost.to_string()))).await;
        // What was kept back was sealed for a session that ends here; the core seals it anew.
        if matches!(self.hold, Hold::Back(_)) {
            self.hold = Hold::Open;
        }
        self.replay = None;
        if *lost == Lost::Ended {
            return Ok(Over::Yes("the desktop ended this phone's channel".to_owned()));
        }
        self.input(Input::Disconnected).await
    }

    async fn ordered(&mut self, order: Order) -> anyhow::Result<Over> {
        match order {
            Order::Answer(target, choice) => match self.find(&target) {
                Some(offer_id) => return self.input(Input::Decide { offer_id, choice }).await,
                None => self.tell(Report::NotDone("there is no such card".to_owned())).await,
            },
            Order::Unfold(target) => match self.find(&target) {
                Some(offer_id) => return self.input(Input::Unfold { offer_id }).await,
                None => self.tell(Report::NotDone("there is no such card".to_owned())).await,
            },
            Order::Lock => return self.input(Input::Lock).await,
            Order::Touch => return self.touch().await,
            Order::Refuse => {
                if let Some(prompt) = self.driver.bio().refuse() {
                    return self.input(Input::BioCancelled { prompt }).await;
                }
            }
            Order::Hold => self.hold = Hold::Armed,
            Order::Flush => {
                if let Hold::Back(held) = core::mem::replace(&mut self.hold, Hold::Open) {
                    held.into_iter().for_each(|command| self.socket.send(command));
                }
            }
            Order::Replay(target) => self.replay(&target).await?,
            Order::HangUp => self.socket.send(ToSocket::HangUp),
            Order::Quit => return Ok(Over::Yes("stopped".to_owned())),
        }
        Ok(Over::No)
    }

    /// Gives the core an input, and the finger where it is due.
    async fn input(&mut self, input: Input) -> anyhow::Result<Over> {
        let mut over = self.step(input).await?;
        if self.settings.prompts != Prompts::Asked && matches!(over, Over::No) {
            over = self.touch().await?;
        }
        Ok(over)
    }

    async fn touch(&mut self) -> anyhow::Result<Over> {
        match self.driver.bio().touch() {
            Some((prompt, signature)) => self.step(Input::BioSigned { prompt, signature }).await,
            None => Ok(Over::No),
        }
    }

    async fn step(&mut self, input: Input) -> anyhow::Result<Over> {
        let asked = self.driver.bio().prompt().map(|pending| pending.prompt);
        // An input draws a few values at most; without random bytes the phone must stop, not go on with bad ones.
        let mut failure = None;
        let mut fresh = || {
            clock::fresh().unwrap_or_else(|error| {
                failure = Some(error);
                countersign_mobile_core::clock::Fresh::new([0; 32])
            })
        };
        let outward = self.driver.handle(input, &mut fresh, now());
        if let Some(error) = failure {
            return Err(error);
        }
        let mut over = Over::No;
        for outward in outward {
            if let Over::Yes(why) = Box::pin(self.carry(outward)).await? {
                over = Over::Yes(why);
            }
        }
        let prompt = self.driver.bio().prompt();
        if let Some(title) = prompt.filter(|pending| Some(pending.prompt) != asked).map(|p| p.title.clone()) {
            self.tell(Report::Prompt(title)).await;
        }
        Ok(over)
    }

    async fn carry(&mut self, outward: Outward) -> anyhow::Result<Over> {
        match outward {
            Outward::Send { envelope, ttl_s, first } => {
                let command = ToSocket::Send { envelope, ttl_s, first };
                match &mut self.hold {
                    Hold::Back(held) if !first => held.push(command),
                    Hold::Open | Hold::Armed | Hold::Back(_) => self.socket.send(command),
                }
            }
            Outward::Show(event) => return self.show(event).await,
            Outward::NotWiped(error) => self.tell(Report::NotDone(error.to_string())).await,
        }
        Ok(Over::No)
    }

    async fn show(&mut self, event: Event) -> anyhow::Result<Over> {
        match &event {
            Event::Card(offer_id) => return self.show_card(*offer_id).await,
            Event::Unfolded(offer_id) => {
                let offer_id = *offer_id;
                self.tell(Report::Event(event)).await;
                return self.draw_card(offer_id).await;
            }
            Event::Up => self.away = None,
            Event::Down => self.away = Some(Instant::now()),
            Event::Sent(..) | Event::Locking if matches!(self.hold, Hold::Armed) => {
                self.hold = Hold::Back(Vec::new());
                self.tell(Report::Held).await;
            }
            Event::Revoked => {
                let removed = self.driver.vault().delete(&Finger::record(self.desktop));
                if let Err(error) = removed {
                    self.tell(Report::NotDone(error.to_string())).await;
                }
                self.tell(Report::Event(event)).await;
                return Ok(Over::Yes("this phone was revoked".to_owned()));
            }
            _ => {}
        }
        self.tell(Report::Event(event)).await;
        Ok(Over::No)
    }

    /// Reports a card whole, after which its end counts as seen.
    async fn draw_card(&mut self, offer_id: OfferId) -> anyhow::Result<Over> {
        let Some(view) = self.view(offer_id) else { return Ok(Over::No) };
        self.tell(Report::Card(Box::new(view))).await;
        self.step(Input::SeenToEnd { offer_id }).await
    }

    /// Reports a card, and answers it where the phone does so by itself. One with secrets it can't allow so: they are
    /// unfolded by a person or not at all.
    async fn show_card(&mut self, offer_id: OfferId) -> anyhow::Result<Over> {
        self.draw_card(offer_id).await?;
        let choice = match self.settings.auto {
            Auto::None => return Ok(Over::No),
            Auto::Allow => Choice::ApproveOnce,
            Auto::Deny => Choice::Deny,
        };
        self.step(Input::Decide { offer_id, choice }).await
    }

    fn view(&self, offer_id: OfferId) -> Option<CardView> {
        let inbox = self.driver.phone().inbox();
        let entry = inbox.get(offer_id)?;
        let waiting = inbox.list().iter().filter(|entry| entry.section() == Section::Waiting).count();
        Some(CardView {
            card: entry.card().clone(),
            left_ms: entry.left_ms(now()),
            fronted: entry.is_fronted(),
            folded: entry.is_folded(),
            waiting,
        })
    }

    fn find(&self, target: &Target) -> Option<OfferId> {
        let list = self.driver.phone().inbox().list();
        let entry = match target {
            Target::Offer(offer_id) => return Some(*offer_id),
            Target::First => list.iter().find(|entry| matches!(entry.stage(), Stage::Waiting(_))),
            Target::Starting(start) => {
                list.iter().find(|entry| entry.card().offer_id.to_string().starts_with(start))
            }
        };
        entry.map(|entry| entry.card().offer_id)
    }

    async fn replay(&mut self, target: &Target) -> anyhow::Result<()> {
        let Some(mut replay) = self.make_replay(target) else {
            let words = "no finger has signed anything for such a card".to_owned();
            self.tell(Report::NotDone(words)).await;
            return Ok(());
        };
        let envelope = replay.start(clock::random()?)?;
        self.socket.send(ToSocket::Send { envelope, ttl_s: 30, first: true });
        self.replay = Some(replay);
        Ok(())
    }

    fn make_replay(&mut self, target: &Target) -> Option<Replay> {
        let offer_id = self.find(target)?;
        let pair = self.driver.phone().pair()?.clone();
        let record = Record { desktop: self.desktop, part: Part::Counter };
        let counter = self.driver.vault().get(&record.to_string()).ok()??;
        let counter = u64::from_be_bytes(counter.as_slice().try_into().ok()?);
        let signed = self.driver.bio().signed().iter().rev();
        let (pending, der) =
            signed.clone().find(|(pending, _)| pending.subject == Subject::Offer(offer_id))?;
        Replay::new(&pair, offer_id, counter, pending, der)
    }

    async fn replayed(&mut self, envelope: &[u8]) -> anyhow::Result<()> {
        let Some(replay) = &mut self.replay else { return Ok(()) };
        let (envelopes, outcome) = replay.receive(envelope, now().boot_ms);
        for envelope in envelopes {
            self.socket.send(ToSocket::Send { envelope, ttl_s: 30, first: false });
        }
        if let Some((offer_id, outcome)) = outcome {
            self.tell(Report::Replayed(offer_id, outcome)).await;
            self.replay = None;
            // The desktop talks in the replay's session now; the core makes its own again.
            self.step(Input::Peer { online: true }).await?;
        }
        Ok(())
    }

    async fn tell(&self, report: Report) {
        // Where nobody listens any more, nobody need be told.
        let _ = self.reports.send(report).await;
    }
}

/// Whether the phone's work is done, and why.
enum Over {
    No,
    Yes(String),
}
