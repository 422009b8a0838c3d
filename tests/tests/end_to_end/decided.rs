//! What a person decided before, with real processes: *Always*, policies, green reads, pausing and strictness let pass what
//! they say, nothing else, and no longer than they stand.

use anyhow::{Context as _, Result, ensure};
use countersign_ipc::control::{ControlReply, Decision};
use countersign_tests::world::{Agent, Surface, World};
use serde_json::Value;

use crate::{ALLOWED, assert_denied, paired};

/// An agent at work, whose sessions were seen to start in the project of this world.
async fn at_work(world: &World, sessions: &[&str]) -> Result<Agent> {
    let mut agent = world.agent("claude").await?;
    for session in sessions {
        agent.starts(world, session).await?;
    }
    Ok(agent)
}

/// The call gets a card, which is then handed back.
async fn assert_asks(
    world: &World,
    agent: &mut Agent,
    surface: &mut Surface,
    session: &str,
    command: &str,
) -> Result<()> {
    agent.call(world, &world.asks(session, command)).await?;
    surface.card().await.with_context(|| format!("`{command}` got no card"))?;
    world.cli(&["release", "--all", "--json"]).await?;
    ensure!(agent.answer().await?.is_null(), "`{command}` was answered though nobody did");
    Ok(())
}

/// The call is answered with yes, and no card comes.
async fn assert_passes(world: &World, agent: &mut Agent, session: &str, command: &str) -> Result<()> {
    agent.call(world, &world.asks(session, command)).await?;
    assert_allowed(agent).await.with_context(|| format!("`{command}` did not pass"))?;
    ensure!(world.pending().await?.is_empty(), "a card waits");
    Ok(())
}

async fn assert_allowed(agent: &mut Agent) -> Result<()> {
    let said = agent.answer().await?;
    ensure!(said == serde_json::from_str::<Value>(ALLOWED)?, "not allowed: {said}");
    Ok(())
}

async fn always(
    world: &World,
    agent: &mut Agent,
    surface: &mut Surface,
    command: &str,
    scope: Decision,
) -> Result<()> {
    agent.call(world, &world.asks("s", command)).await?;
    let card = surface.card().await?;
    ensure!(card.replies.contains(&scope), "not offered: {card:?}");
    ensure!(card.always.as_deref() == Some(command), "another text would match: {:?}", card.always);
    surface.front(&card).await?;
    let settled = surface.decide(&card, scope).await?;
    ensure!(matches!(settled, ControlReply::Settled(_)), "{settled:?}");
    assert_allowed(agent).await
}

async fn rules(world: &World) -> Result<Vec<Value>> {
    let rules = world.cli(&["rules", "--json"]).await?;
    Ok(rules["rules"].as_array().context("rules are a list")?.clone())
}

/// Writes a policy and accepts it by the hash that `diff` tells; its id.
async fn accept(world: &World, text: &str) -> Result<String> {
    let file = world.scratch().join("policy.txt");
    std::fs::write(&file, text)?;
    let file = file.to_str().context("a path")?;
    let told = world.cli(&["policy", "diff", file, "--json"]).await?;
    let hash = told["text_hash"].as_str().with_context(|| format!("no hash: {told}"))?;
    accepted(world, &["policy", "accept", file, "--hash", hash, "--json"]).await
}

async fn accepted(world: &World, arguments: &[&str]) -> Result<String> {
    let accepted = world.cli(arguments).await?;
    let id = accepted["accepted"]["consent_id"].as_str();
    Ok(id.with_context(|| format!("not accepted: {accepted}"))?.to_owned())
}

#[tokio::test]
async fn an_always_for_the_session_answers_the_same_call_there_and_is_named_in_the_log() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s", "other"]).await?;
    let mut surface = world.surface().await?;
    always(&world, &mut agent, &mut surface, "make deploy", Decision::AlwaysSession).await?;
    assert_passes(&world, &mut agent, "s", "make deploy").await?;
    assert_asks(&world, &mut agent, &mut surface, "other", "make deploy").await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "make deploy all").await?;
    let [rule] = &rules(&world).await?[..] else { anyhow::bail!("not one rule") };
    ensure!(rule["text"] == "make deploy" && rule["scope"] == "session", "{rule}");
    let id = rule["rule_id"].as_str().context("a rule has an id")?;
    let told = world.cli_lines(&["log", "--json", "--by", &id[..8]]).await?;
    let kinds: Vec<&Value> = told.iter().map(|entry| &entry["kind"]).collect();
    ensure!(kinds == ["rule_saved", "allowed"], "{told:?}");
    ensure!(told[1]["source"] == "rule" && told[1]["basis"] == id, "{}", told[1]);
    world.cli(&["rules", "remove", &id[..6], "--json"]).await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "make deploy").await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn an_always_for_the_project_outlives_a_desktop_that_was_killed_and_one_for_a_session_does_not()
-> Result<()> {
    let mut world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    let mut surface = world.surface().await?;
    always(&world, &mut agent, &mut surface, "make deploy", Decision::AlwaysProject).await?;
    always(&world, &mut agent, &mut surface, "make notify", Decision::AlwaysSession).await?;
    world.kill_desktop().await?;
    world.start_desktop().await?;
    for session in ["s", "next"] {
        agent.starts(&world, session).await?;
    }
    let mut surface = world.surface().await?;
    assert_passes(&world, &mut agent, "next", "make deploy").await?;
    assert_asks(&world, &mut agent, &mut surface, "next", "make notify").await?;
    let status = world.cli(&["status", "--json"]).await?;
    ensure!(status["decided"]["rules"] == 1, "{status}");
    world.assert_log_is_whole().await?;
    Ok(())
}

/// PH-1: what stands on a phone's word stands only as long as the phone does.
#[tokio::test]
async fn an_always_from_a_phone_is_suspended_with_it_and_answers_again_once_a_person_looked() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    let _other = world.pair("other phone").await?;
    let mut agent = at_work(&world, &["s"]).await?;
    agent.call(&world, &world.asks("s", "make deploy")).await?;
    let card = phone.card_of("make deploy").await?;
    let texts = card["always"].as_array().context("a phone is offered an Always")?;
    let project = texts.len().checked_sub(1).context("no Always is offered")?;
    let offer = card["offer"].as_str().context("a card has an offer")?;
    phone.order(&format!("always {offer} {project}")).await?;
    assert_allowed(&mut agent).await?;
    phone.receipt(&card, "released").await?;
    assert_passes(&world, &mut agent, "s", "make deploy").await?;
    world.assert_log_is_whole().await?;

    world.cli(&["phones", "revoke", &phone.device, "--json"]).await?;
    let mut surface = world.surface().await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "make deploy").await?;
    let [rule] = &rules(&world).await?[..] else { anyhow::bail!("not one rule") };
    ensure!(rule["suspended"] == true && rule["word"] == phone.device.as_str(), "{rule}");
    let doctor = String::from_utf8(world.cli_output(&["doctor"]).await?.stdout)?;
    ensure!(doctor.contains("1 suspended"), "{doctor}");
    let id = rule["rule_id"].as_str().context("a rule has an id")?;
    world.cli(&["rules", "resume", id, "--json"]).await?;
    // The third identical call in a row would ask whatever else holds.
    assert_asks(&world, &mut agent, &mut surface, "s", "make something-else").await?;
    assert_passes(&world, &mut agent, "s", "make deploy").await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn an_accepted_policy_answers_at_once_and_once_revoked_the_same_call_asks_again() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    let mut surface = world.surface().await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "touch notes.txt").await?;
    let id = accept(&world, "allow write\n").await?;
    assert_passes(&world, &mut agent, "s", "touch notes.txt").await?;
    let told = world.cli_lines(&["log", "--json", "--by", &id]).await?;
    let allowed = told.iter().find(|entry| entry["kind"] == "allowed").context("an entry")?;
    ensure!(allowed["source"] == "policy" && allowed["basis"] == id.as_str(), "{allowed}");
    let listed = world.cli(&["policy", "list", "--json"]).await?;
    ensure!(listed["policies"][0]["consent_id"] == id.as_str(), "{listed}");
    world.cli(&["policy", "revoke", &id[..8], "--json"]).await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "touch notes.txt").await?;
    let all = world.cli(&["policy", "list", "--all", "--json"]).await?;
    ensure!(all["policies"][0]["state"] == "revoked", "{all}");
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_script_cannot_accept_a_text_by_accident() -> Result<()> {
    let world = World::start_plain().await?;
    let file = world.scratch().join("policy.txt");
    std::fs::write(&file, "allow write\n")?;
    let file = file.to_str().context("a path")?;
    let other = "ab".repeat(32);
    for more in [&["--json"][..], &[], &["--hash", &other], &["--hash", &other, "--json"]] {
        let refused = world.cli_output(&[&["policy", "accept", file], more].concat()).await?;
        ensure!(refused.status.code() == Some(1), "{more:?}: {refused:?}");
    }
    let broken = world.scratch().join("broken.txt");
    std::fs::write(&broken, "allow write\nallow everything\n")?;
    let broken = world.cli_output(&["policy", "diff", broken.to_str().context("a path")?]).await?;
    let words = String::from_utf8(broken.stderr)?;
    ensure!(broken.status.code() == Some(1) && words.contains("line 2"), "{words}");
    let listed = world.cli(&["policy", "list", "--all", "--json"]).await?;
    ensure!(listed["policies"].as_array().is_some_and(Vec::is_empty), "{listed}");
    Ok(())
}

#[tokio::test]
async fn before_accepting_the_text_is_shown_with_what_it_would_have_answered() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    let mut surface = world.surface().await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "touch notes.txt").await?;
    let file = world.scratch().join("policy.txt");
    std::fs::write(&file, "allow write\n")?;
    let file = file.to_str().context("a path")?;
    let told = world.cli(&["policy", "diff", file, "--json"]).await?;
    let change = &told["changes"][0];
    ensure!(change["from"] == "ask" && change["to"] == "allow" && change["count"] == 1, "{told}");
    ensure!(told["widths"].as_array().is_some_and(|widths| widths.len() == 1), "{told}");
    let text = String::from_utf8(world.cli_output(&["policy", "diff", file]).await?.stdout)?;
    ensure!(text.contains("would have PASSED") && text.contains("How wide it is"), "{text}");
    Ok(())
}

#[tokio::test]
async fn an_edit_for_another_folder_ends_the_old_policy_and_says_so() -> Result<()> {
    let world = World::start_plain().await?;
    let old = accept(&world, "project /srv/one\nallow read\n").await?;
    let file = world.scratch().join("edited.txt");
    std::fs::write(&file, "project /srv/two\nallow read\n")?;
    let file = file.to_str().context("a path")?;
    let told = world.cli(&["policy", "diff", file, "--instead-of", &old, "--json"]).await?;
    ensure!(told["ends"][0]["consent_id"] == old.as_str(), "{told}");
    ensure!(told["warnings"].to_string().contains("ends"), "{told}");
    let hash = told["text_hash"].as_str().context("a hash")?;
    let edit = ["policy", "accept", file, "--instead-of", &old, "--hash", hash, "--json"];
    accepted(&world, &edit).await?;
    let listed = world.cli(&["policy", "list", "--json"]).await?;
    let [only] = listed["policies"].as_array().context("a list")?.as_slice() else {
        anyhow::bail!("not one policy: {listed}");
    };
    ensure!(only["project"] == "/srv/two", "{only}");
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn green_reads_pass_once_they_were_accepted_and_ask_again_once_they_were_revoked() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    std::fs::write(world.scratch().join("README.md"), "hello\n")?;
    let mut surface = world.surface().await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "cat README.md").await?;
    let told = world.cli(&["policy", "diff", "--green-reads", "--json"]).await?;
    let hash = told["text_hash"].as_str().context("a hash")?;
    let id = accepted(&world, &["policy", "accept", "--green-reads", "--hash", hash, "--json"]).await?;
    assert_passes(&world, &mut agent, "s", "cat README.md").await?;
    ensure!(world.cli(&["status", "--json"]).await?["decided"]["green_reads"] == true);
    world.cli(&["policy", "revoke", &id, "--json"]).await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "cat README.md").await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

/// REF-1: no card, no button; the agent gets the reason.
#[tokio::test]
async fn a_push_to_main_is_refused_without_a_card() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    agent.call(&world, &world.asks("s", "git push origin main")).await?;
    assert_denied(&agent.answer().await?.to_string(), "main")?;
    ensure!(world.pending().await?.is_empty());
    let denied = world.cli_lines(&["log", "--json", "--event", "denied"]).await?;
    ensure!(denied.len() == 1 && denied[0]["source"] == "refused", "{denied:?}");
    world.assert_log_is_whole().await?;
    Ok(())
}

/// WAIT-4: no cards, nothing passes, refusals stand, and every surface hears of it.
#[tokio::test]
async fn paused_nothing_passes_and_no_card_comes_and_refusals_stand() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    let mut surface = world.surface().await?;
    accept(&world, "allow write\n").await?;
    world.cli(&["pause", "--json"]).await?;
    ensure!(world.cli(&["status", "--json"]).await?["paused"] == true);
    for command in ["touch notes.txt", "make deploy"] {
        agent.call(&world, &world.asks("s", command)).await?;
        let said = agent.answer().await?;
        ensure!(said.is_null(), "`{command}` was answered: {said}");
    }
    ensure!(world.pending().await?.is_empty(), "a card came");
    agent.call(&world, &world.asks("s", "git push origin main")).await?;
    assert_denied(&agent.answer().await?.to_string(), "main")?;
    world.cli(&["resume", "--json"]).await?;
    assert_passes(&world, &mut agent, "s", "touch notes.txt").await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "make deploy").await?;
    Ok(())
}

#[tokio::test]
async fn a_strict_project_asks_about_writes_and_offers_no_always_for_itself() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = at_work(&world, &["s"]).await?;
    let mut surface = world.surface().await?;
    accept(&world, "allow write\n").await?;
    let folder = world.scratch().to_str().context("a path")?.to_owned();
    world.cli(&["strict", "on", "--project", &folder, "--json"]).await?;
    assert_asks(&world, &mut agent, &mut surface, "s", "touch notes.txt").await?;
    agent.call(&world, &world.asks("s", "make deploy")).await?;
    let card = surface.card().await?;
    ensure!(
        card.replies.contains(&Decision::AlwaysSession) && !card.replies.contains(&Decision::AlwaysProject),
        "{:?}",
        card.replies
    );
    world.cli(&["release", "--all", "--json"]).await?;
    ensure!(agent.answer().await?.is_null());
    let status = world.cli(&["status", "--json"]).await?;
    ensure!(status["strict"][0] == format!("project {folder}").as_str(), "{status}");
    world.cli(&["strict", "off", "--project", &folder, "--json"]).await?;
    assert_passes(&world, &mut agent, "s", "touch notes.txt").await?;
    Ok(())
}

#[tokio::test]
async fn explain_names_the_line_that_answers_with_and_without_a_desktop() -> Result<()> {
    let mut world = World::start_plain().await?;
    let id = accept(&world, "# mine\nallow write\n").await?;
    let told = world.cli(&["policy", "explain", "touch notes.txt", "--json"]).await?;
    ensure!(told["outcome"] == "allow" && told["by"] == "policy", "{told}");
    ensure!(told["by_line"]["line"] == 2 && told["by_line"]["origin"] == id.as_str(), "{told}");
    let refused = world.cli(&["policy", "explain", "git push origin main", "--json"]).await?;
    ensure!(refused["outcome"] == "deny" && refused["by"] == "core-refusal", "{refused}");
    let text = String::from_utf8(world.cli_output(&["policy", "explain", "touch a"]).await?.stdout)?;
    ensure!(text.contains("It passes, by line 2: allow write"), "{text}");
    world.stop_desktop().await?;
    let away = world.cli(&["policy", "explain", "touch notes.txt", "--json"]).await?;
    ensure!(away["outcome"] == "ask" && away["notes"].to_string().contains("not running"), "{away}");
    let file = world.scratch().join("policy.txt");
    let file = file.to_str().context("a path")?;
    let by_file = ["policy", "explain", "touch notes.txt", "--policy", file, "--json"];
    let told = world.cli(&by_file).await?;
    ensure!(told["outcome"] == "allow" && told["by_line"]["origin"] == "file", "{told}");
    Ok(())
}

/// REF-4: an agent may ask why it is answered so, and may not change it.
#[tokio::test]
async fn an_agent_may_explain_and_not_accept() -> Result<()> {
    let world = World::start_plain().await?;
    let file = world.scratch().join("policy.txt");
    std::fs::write(&file, "allow write\n")?;
    let told = world.cli(&["policy", "diff", file.to_str().context("a path")?, "--json"]).await?;
    let hash = told["text_hash"].as_str().context("a hash")?;
    let mut agent = world.agent("claude").await?;
    ensure!(agent.run("cli policy explain ls").await? == 0, "an agent may not look");
    ensure!(agent.run(&format!("cli policy accept policy.txt --hash {hash}")).await? == 4);
    ensure!(agent.run("cli policy diff policy.txt").await? == 4);
    let listed = world.cli(&["policy", "list", "--all", "--json"]).await?;
    ensure!(listed["policies"].as_array().is_some_and(Vec::is_empty), "{listed}");
    Ok(())
}
