//! What surrounds the demo phone: reports go to standard output, orders come from standard input, line by line or, at a
//! terminal, key by key.

use std::{
    io::{self, Write},
    time::Duration,
};

use anyhow::Context;
use countersign_demo_phone::{
    DemoPhone,
    keys::{Keys, Terminal},
    order::Order,
    report::Report,
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{self, MissedTickBehavior},
};

use crate::stdin::Stdin;

/// A demo phone with its input.
pub struct Face {
    phone: DemoPhone,
    stdin: Stdin,
    parent_watch: bool,
}

impl Face {
    pub fn new(phone: DemoPhone, stdin: Stdin, parent_watch: bool) -> Self {
        Self { phone, stdin, parent_watch }
    }

    /// One report and one order a line.
    pub async fn lines(mut self, json: bool) -> anyhow::Result<()> {
        let mut stop = Stop::new()?;
        let mut open = true;
        loop {
            tokio::select! {
                report = self.phone.reports.recv() => match report {
                    Some(report) => print(&report, json)?,
                    None => return self.ended().await,
                },
                line = self.stdin.next(), if open => match line {
                    Some(line) if line.trim().is_empty() => {}
                    Some(line) => match Order::parse(&line) {
                        Ok(order) => self.order(order).await,
                        Err(error) => print(&Report::NotDone(error.to_string()), json)?,
                    },
                    None => {
                        open = false;
                        if self.parent_watch {
                            self.order(Order::Quit).await;
                        }
                    }
                },
                () = stop.asked() => self.order(Order::Quit).await,
            }
        }
    }

    /// Cards one at a time, answered by single keys.
    pub async fn keys(mut self, terminal: Terminal) -> anyhow::Result<()> {
        let mut stop = Stop::new()?;
        let mut keys = Keys::default();
        let mut second = time::interval(Duration::from_secs(1));
        second.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let text = tokio::select! {
                report = self.phone.reports.recv() => match report {
                    Some(report) => keys.report(report),
                    None => break,
                },
                key = self.stdin.next() => match key {
                    Some(key) => {
                        let (order, text) = keys.press(&key);
                        if let Some(order) = order {
                            self.order(order).await;
                        }
                        text
                    }
                    None => {
                        self.order(Order::Quit).await;
                        continue;
                    }
                },
                _ = second.tick() => keys.count_down(),
                () = stop.asked() => {
                    self.order(Order::Quit).await;
                    continue;
                }
            };
            let mut stdout = io::stdout().lock();
            stdout.write_all(text.as_bytes())?;
            stdout.flush()?;
        }
        drop(terminal);
        self.ended().await
    }

    async fn order(&self, order: Order) {
        // A phone that ended takes no orders; its reason follows.
        let _ = self.phone.orders.send(order).await;
    }

    async fn ended(self) -> anyhow::Result<()> {
        self.phone.task.await.context("the demo phone failed")?.map(drop)
    }
}

fn print(report: &Report, json: bool) -> io::Result<()> {
    let line = if json { Some(report.json().to_string()) } else { report.text() };
    let mut stdout = io::stdout().lock();
    if let Some(line) = line {
        writeln!(stdout, "{line}")?;
    }
    stdout.flush()
}

/// Ctrl-C, or being told to end.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn new() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
