//! More of what a demo phone can go through: away for a while, and all that it says about one card.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tokio::process::Command;

use super::{BOUND, DemoPhone, Process, program};

impl DemoPhone {
    /// Starts a phone that was killed, from its folder.
    pub async fn resume(&mut self) -> Result<()> {
        let mut command = Command::new(program("countersign-demo-phone"));
        command.args(["run", "--json", "--parent-watch", "--linger", "60", "--state"]).arg(&self.state);
        self.process = Process::spawn("the phone", command)?;
        Ok(())
    }

    /// Waits for the card of this command.
    pub async fn card_of(&mut self, command: &str) -> Result<Value> {
        let shows = |line: &Value| line["event"] == "card" && line["blocks"][0]["command"] == command;
        self.process.take(&format!("the card of `{command}`"), shows, BOUND).await
    }

    /// Waits for an event about a card.
    pub async fn event_of(&mut self, name: &str, card: &Value) -> Result<Value> {
        let fits = |line: &Value| line["event"] == name && line["offer"] == card["offer"];
        self.process.take(&format!("`{name}` about {}", card["offer"]), fits, BOUND).await
    }

    /// Orders something about a card.
    pub async fn decide(&mut self, decision: &str, card: &Value) -> Result<()> {
        let offer = card["offer"].as_str().context("a card has an offer")?;
        self.process.say(&format!("{decision} {offer}")).await
    }

    /// Waits for the verified receipt of what was decided on a card, which must say so.
    pub async fn receipt(&mut self, card: &Value, outcome: &str) -> Result<Value> {
        let receipt = self.event_of("receipt", card).await?;
        ensure!(receipt["outcome"] == outcome && receipt["verified"] == true, "not {outcome}: {receipt}");
        Ok(receipt)
    }

    /// Waits until the phone ends by itself.
    pub async fn ends(&mut self) -> Result<(Option<i32>, String)> {
        self.process.ends(BOUND).await
    }
}
