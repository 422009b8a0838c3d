//! Waiting cards from the command line: to look at, to deny, to hand back, to lock. Nothing here can allow.

use countersign_daemon::card::mask;
use countersign_ipc::{
    Instance,
    control::{Block, Card, ControlReply, ControlRequest, DenyWhich, Ending, Level},
};
use serde_json::json;

use crate::{
    arguments::{Format, Which},
    connection, moment, output,
    pick::{pick, short},
    trouble::{Trouble, command, name},
};

/// `pending`
pub async fn pending(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let cards = waiting(instance).await?;
    if format.json {
        return output::print_json(&json!({ "cards": cards }));
    }
    output::print(&list(instance, &cards))
}

/// `deny`
pub async fn deny(instance: &Instance, which: Which) -> Result<(), Trouble> {
    let which_cards = match which_request(instance, &which).await? {
        Some(id) => DenyWhich::One(id),
        None => DenyWhich::All,
    };
    let reply = connection::ask(instance, &ControlRequest::Deny { which: which_cards }).await?;
    closed(reply, which.format, "Nothing waited, so nothing was denied.\n")
}

/// `release`
pub async fn release(instance: &Instance, which: Which) -> Result<(), Trouble> {
    let request_id = which_request(instance, &which).await?;
    let reply = connection::ask(instance, &ControlRequest::Release { request_id }).await?;
    closed(reply, which.format, "Nothing waited, so nothing was handed back.\n")
}

/// `lock`
pub async fn lock(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let reply = connection::ask(instance, &ControlRequest::Lock {}).await?;
    if format.json {
        return closed(reply, format, "");
    }
    let unlock = command(instance, "unlock");
    output::print(&format!("Locked: everything is denied until `{unlock}`.\n"))?;
    closed(reply, format, "")
}

/// `unlock`
pub async fn unlock(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let ControlReply::Done {} = connection::ask(instance, &ControlRequest::Unlock {}).await? else {
        return Err(Trouble::Unexpected);
    };
    if format.json {
        return output::print_json(&json!({ "locked": false }));
    }
    output::print("Unlocked: new questions can be answered again.\n")
}

/// Every waiting card, its secrets masked: `watch` and the phone unfold them (CARD-2).
pub async fn waiting(instance: &Instance) -> Result<Vec<Card>, Trouble> {
    match connection::ask(instance, &ControlRequest::Pending {}).await? {
        // The daemon masked them; a list that is printed or kept is masked whoever sent it.
        ControlReply::Pending { cards } => Ok(cards.into_iter().map(mask).collect()),
        _ => Err(Trouble::Unexpected),
    }
}

/// The id that is meant; `None` for all. Without either the only card that waits is meant.
async fn which_request(instance: &Instance, which: &Which) -> Result<Option<String>, Trouble> {
    if which.all {
        return Ok(None);
    }
    let cards = waiting(instance).await?;
    if let Some(start) = &which.id {
        let ids = cards.iter().map(|card| card.request_id.as_str());
        return pick(start, "waiting card", ids).map(Some);
    }
    match cards.as_slice() {
        [only] => Ok(Some(only.request_id.clone())),
        [] => Err(Trouble::said("No card waits. Nothing was done.", "")),
        several => Err(Trouble::said(
            format!("{} cards wait. Nothing was done.", several.len()),
            "Say which by the beginning of its id (`countersign pending` lists them), or --all.",
        )),
    }
}

fn closed(reply: ControlReply, format: Format, none: &str) -> Result<(), Trouble> {
    let ControlReply::Closed { endings } = reply else { return Err(Trouble::Unexpected) };
    if format.json {
        return output::print_json(&json!({ "endings": endings }));
    }
    if endings.is_empty() {
        return output::print(none);
    }
    output::print(&endings.iter().map(ending).collect::<String>())
}

fn ending(ending: &Ending) -> String {
    let gone = if ending.delivered { "" } else { "  (its hook was gone already)" };
    format!("{}  {}{gone}\n", short(&ending.request_id), ending.text)
}

fn list(instance: &Instance, cards: &[Card]) -> String {
    if cards.is_empty() {
        return "No card waits.\n".to_owned();
    }
    let cards: String = cards.iter().map(card).collect();
    let (watch, deny) = (command(instance, "watch"), command(instance, "deny ID"));
    format!("{cards}Answer them with `{watch}` or a phone; `{deny}` denies one.\n")
}

/// All of a card but the lines of a change, which `watch` shows.
fn card(card: &Card) -> String {
    let mut text = format!(
        "{} of {}  {}  ({}, {}, {} left)\n",
        card.position.index,
        card.position.of,
        card.headline,
        level(card.level),
        card.class,
        moment::left(card.deadline_in_ms)
    );
    text.extend(card.warnings.iter().map(|warning| format!("  ! {warning}\n")));
    text.extend(card.blocks.iter().map(block));
    text.push_str(&format!("  in {} on {}\n", card.folder, card.host));
    text.push_str(&format!("  asked by {}\n", who(card)));
    if let Some(words) = &card.words {
        text.push_str(&indented("the agent says: ", words));
    }
    text.push_str(&format!("  id {}\n\n", card.request_id));
    text
}

fn block(block: &Block) -> String {
    match block {
        Block::Command { text } => indented("$ ", text),
        Block::Diff { path, new_file, added, removed, lines: _ } => {
            let new = if *new_file { ", a new file" } else { "" };
            format!("  {path} (+{added} -{removed}{new})\n")
        }
        Block::File { path } => format!("  {path}\n"),
        Block::Url { url } => format!("  {url}\n"),
        Block::Text { label, text } => indented(&format!("{label}: "), text),
    }
}

/// The first line behind `start`, the others below it.
fn indented(start: &str, text: &str) -> String {
    let rest = " ".repeat(start.chars().count());
    let lines = text.split('\n').enumerate();
    lines.map(|(at, line)| format!("  {}{line}\n", if at == 0 { start } else { &rest })).collect()
}

/// The agent, its session, and the subagent where one asks.
pub fn who(card: &Card) -> String {
    let version =
        if card.agent.version.is_empty() { String::new() } else { format!(" {}", card.agent.version) };
    let session =
        if card.session.title.is_empty() { short(&card.session.id) } else { card.session.title.as_str() };
    let subagent = card.subagent.as_ref().map_or_else(String::new, |subagent| {
        let kind = if subagent.kind.is_empty() { "" } else { " " };
        format!(", its subagent{kind}{} {}", subagent.kind, short(&subagent.id))
    });
    format!("{}{version}, session {session}{subagent}", card.agent.id)
}

/// A level's name.
pub fn level(level: Level) -> String {
    name(&level)
}

#[cfg(test)]
mod tests {
    use countersign_ipc::control::Outcome;

    use super::*;
    use crate::samples;

    #[test]
    fn a_card_is_listed_with_every_line_of_its_command_and_its_id() {
        let text = list(&Instance::MAIN, &[samples::card("ab", "make all\nrm -rf build")]);
        assert!(text.contains("  $ make all\n    rm -rf build\n"), "{text}");
        assert!(text.contains(&format!("id {}", samples::id("ab"))), "{text}");
        assert!(text.contains("the agent says: Cleans up"), "{text}");
        assert!(text.contains("`countersign watch`"), "{text}");
    }

    #[test]
    fn an_empty_list_says_so() {
        assert_eq!(list(&Instance::MAIN, &[]), "No card waits.\n");
    }

    #[test]
    fn an_ending_says_whether_the_agent_heard_it() {
        let mut one = samples::ending("ab", Outcome::Denied, "Denied from the terminal");
        assert_eq!(ending(&one), "abababab  Denied from the terminal\n");
        one.delivered = false;
        assert!(ending(&one).contains("gone already"));
    }
}
