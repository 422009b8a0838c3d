//! What a person decided before answers by itself, and nothing else does: rules, green policies, lines, refusals, the
//! hook before every call, and what a session has shown of itself (ORD-1, RULE, POL, REF, REQ-4, AG-5, TAINT-1).

use countersign_agents::call_hash;
use countersign_core::{
    command::{Change, Report},
    draft::{Draft, EndedCall, Observed, SessionKey},
    input::{Accept, Before, Choice, Click, HookId, Input, SurfaceId},
    policy::{ConsentId, ConsentState, TextKind, builtin},
    settings::Strict,
};
use countersign_proto::{
    Refusal, domain,
    id::RequestId,
    receipt::Outcome,
    reply::{Decision, Payload},
};
use countersign_tests::desk::{Desk, Memory, Pocket, Said, draft, draft_of};
use serde_json::json;

const SURFACE: SurfaceId = SurfaceId(1);
const SESSION: u8 = 0;
const PROJECT: u8 = 1;

fn click(desk: &mut Desk<Memory>, request: RequestId, choice: Choice) {
    desk.look_at(SURFACE, request);
    let binding = desk.core.card(request).expect("it waits").binding;
    desk.act(Input::Click(Click { surface: SURFACE, request, binding, choice }));
}

/// Asks, and says *Always* to the card.
fn always(desk: &mut Desk<Memory>, session: &str, command: &str, scope: u8) {
    let (hook, request) = desk.ask(session, command);
    click(desk, request, Choice::Always(scope));
    assert_eq!(desk.said(hook), Some(Said::Allow), "{command}");
}

fn accept(desk: &mut Desk<Memory>, kind: TextKind, text: &str, id: u8, instead_of: Option<ConsentId>) {
    let accept = Accept { id: ConsentId([id; 16]), kind, text: text.to_owned(), folder: None, instead_of };
    desk.act(Input::Accept(Box::new(accept)));
}

fn accepted(text: &str) -> Desk<Memory> {
    let mut desk = Desk::fresh();
    accept(&mut desk, TextKind::Lines, text, 1, None);
    assert_eq!(desk.reports.last(), Some(&Report::Done), "{text}");
    desk
}

fn said(desk: &mut Desk<Memory>, session: &str, command: &str) -> Option<Said> {
    let (hook, _) = desk.ask(session, command);
    desk.said(hook)
}

fn is_allowed(desk: &mut Desk<Memory>, session: &str, command: &str) -> bool {
    said(desk, session, command) == Some(Said::Allow)
}

fn before(desk: &mut Desk<Memory>, draft: Draft) -> Option<Said> {
    let hook = HookId(900_000 + desk.told.len() as u64 + desk.changes.len() as u64);
    let arrived_boot_ms = desk.now.boot_ms;
    desk.act(Input::Before(Box::new(Before { hook, draft, silence_runs: true, arrived_boot_ms })));
    desk.said(hook)
}

fn events(desk: &Desk<Memory>) -> Vec<String> {
    desk.entries().iter().map(|entry| entry.body.event.name().to_owned()).collect()
}

fn count(desk: &Desk<Memory>, event: &str) -> usize {
    events(desk).iter().filter(|name| *name == event).count()
}

fn key(session: &str) -> SessionKey {
    draft(session, "ls").session
}

fn ran(draft: &Draft) -> Input {
    let call = EndedCall {
        tool: draft.tool.clone(),
        raw: draft.raw.clone(),
        input_hash: call_hash(&draft.raw),
        id: draft.call_id.clone(),
        ran: true,
    };
    Input::Observed {
        session: draft.session.clone(),
        what: Observed::Ended { calls: vec![call], subagent: None },
    }
}

#[test]
fn an_always_for_the_session_answers_the_same_call_of_that_session_and_no_other() {
    let mut desk = Desk::fresh();
    always(&mut desk, "s1", "cargo test", SESSION);
    assert!(is_allowed(&mut desk, "s1", "cargo test"));
    assert!(!is_allowed(&mut desk, "s2", "cargo test"), "another session");
    for other in ["cargo test --release", "cargo test && rm -rf build", "cargo  test", "cargo test "] {
        assert!(!is_allowed(&mut desk, "s1", other), "{other:?}");
    }
    desk.act(Input::Observed { session: key("s1"), what: Observed::SessionOver });
    assert!(!is_allowed(&mut desk, "s1", "cargo test"), "a rule for a session dies with it");
}

#[test]
fn an_always_for_the_project_outlives_sessions_and_restarts_until_it_is_removed() {
    let mut desk = Desk::fresh();
    always(&mut desk, "s1", "cargo test", PROJECT);
    assert!(is_allowed(&mut desk, "s2", "cargo test"));
    desk.crash();
    assert!(is_allowed(&mut desk, "s3", "cargo test"));
    let rule = desk.core.rules()[0].id;
    desk.act(Input::RemoveRule(rule));
    assert_eq!(desk.reports.last(), Some(&Report::Done));
    assert!(!is_allowed(&mut desk, "s4", "cargo test"));
    desk.crash();
    assert!(desk.core.rules().is_empty() && !is_allowed(&mut desk, "s5", "cargo test"));
}

#[test]
fn a_rule_answers_only_in_its_own_folder_and_project() {
    let mut desk = Desk::fresh();
    always(&mut desk, "s1", "cargo test", PROJECT);
    let call = draft("s2", "cargo test");
    let elsewhere = [
        Draft { start_folder: Some(b"/home/ada/other".to_vec()), ..call.clone() },
        Draft { start_folder: None, ..call.clone() },
        Draft { project: None, ..call.clone() },
        Draft { whole: false, ..call.clone() },
        Draft { session: SessionKey { agent: "codex".to_owned(), ..key("s2") }, ..call },
    ];
    for call in elsewhere {
        let (hook, _) = desk.ask_draft(call.clone(), 125_000);
        assert_eq!(desk.said(hook), None, "{:?} {:?}", call.start_folder, call.project);
    }
}

#[test]
fn what_a_remembered_command_runs_is_part_of_the_memory() {
    use countersign_proto::{id::Hash, request::Dependency, text::Foreign};
    let depends = |byte| {
        vec![Dependency { path: Foreign::new("/home/ada/site/Makefile"), hash: Some(Hash::new([byte; 32])) }]
    };
    let mut desk = Desk::fresh();
    let call = Draft { depends: depends(1), ..draft("s1", "make") };
    let (_, request) = desk.ask_draft(call.clone(), 125_000);
    click(&mut desk, request, Choice::Always(PROJECT));
    let (hook, _) = desk.ask_draft(call.clone(), 125_000);
    assert_eq!(desk.said(hook), Some(Said::Allow));
    // Three identical calls in a row would ask anyway.
    desk.ask("s1", "cargo build");
    let (hook, request) = desk.ask_draft(Draft { depends: depends(2), ..call }, 125_000);
    assert_eq!(desk.said(hook), None);
    let why = &desk.core.card(request).expect("a card").request.why;
    assert!(why.text.raw().contains("changed since you said Always"), "{:?}", why.text);
}

#[test]
fn saving_a_rule_answers_identical_waiting_requests_each_with_its_own_entry() {
    let mut desk = Desk::fresh();
    let (first, request) = desk.ask("s1", "cargo test");
    let (twin, _) = desk.ask("s1", "cargo test");
    let (stranger, _) = desk.ask("s2", "cargo test");
    let (other, _) = desk.ask("s1", "cargo build");
    click(&mut desk, request, Choice::Always(SESSION));
    assert_eq!([desk.said(first), desk.said(twin)], [Some(Said::Allow), Some(Said::Allow)]);
    assert_eq!([desk.said(stranger), desk.said(other)], [None, None]);
    assert_eq!(count(&desk, "allowed"), 2);
    assert_eq!(count(&desk, "rule_saved"), 1);
}

/// CARD-4, one half: what is destructive can't be remembered, whatever asks.
#[test]
fn a_forced_always_on_a_destructive_card_is_a_plain_yes_and_saves_no_rule() {
    let mut desk = Desk::fresh();
    let (hook, request) = desk.ask("s1", "rm -rf build");
    let card = desk.core.card(request).expect("a card").request;
    assert!(card.always.is_empty() && !card.replies.contains(Decision::ApproveAlways));
    click(&mut desk, request, Choice::Always(SESSION));
    assert_eq!(desk.said(hook), Some(Said::Allow));
    assert!(desk.core.rules().is_empty() && count(&desk, "rule_saved") == 0);
    assert_eq!(said(&mut desk, "s1", "rm -rf build"), None);
}

/// CARD-4, the other half: a rule that was saved before a request counted as destructive does not answer it.
#[test]
fn an_old_rule_never_answers_a_destructive_call() {
    let mut desk = Desk::fresh();
    let harmless = draft("s1", "make clean");
    let (_, request) = desk.ask_draft(harmless.clone(), 125_000);
    click(&mut desk, request, Choice::Always(PROJECT));
    // The same call in every respect, but a later release knows what it does.
    let known = Draft { facts: draft("s1", "rm -rf build").facts, ..harmless };
    let (hook, _) = desk.ask_draft(known, 125_000);
    assert_eq!(desk.said(hook), None);
}

#[test]
fn from_a_phone_an_always_is_offered_signed_and_saved_and_refused_where_it_is_destructive() {
    let mut desk = Desk::fresh();
    let mut pocket = desk.pair("ada's phone");
    let (hook, request) = desk.ask("s1", "cargo test");
    phone_always(&mut desk, &mut pocket, request, PROJECT, "cargo test");
    assert_eq!(desk.said(hook), Some(Said::Allow));
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Released(Decision::ApproveAlways)));
    assert!(is_allowed(&mut desk, "s2", "cargo test"));
    let (hook, request) = desk.ask("s1", "rm -rf build");
    phone_always(&mut desk, &mut pocket, request, SESSION, "rm -rf build");
    assert_eq!(desk.said(hook), None);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::refused(Refusal::DestructiveNoAlways)));
}

fn phone_always(desk: &mut Desk<Memory>, pocket: &mut Pocket, request: RequestId, index: u8, text: &str) {
    let offer = desk.offer(pocket.device, request).expect("offered").signed;
    let hash = domain::hash(domain::OFFERED_TEXT, &[text.as_bytes()]);
    let reply = pocket.decide_with(&offer, Decision::ApproveAlways, Some(Payload::Always(index, hash)));
    desk.phone_says(pocket.device, reply);
}

#[test]
fn a_phones_always_that_names_another_text_is_refused() {
    let mut desk = Desk::fresh();
    let mut pocket = desk.pair("ada's phone");
    let (hook, request) = desk.ask("s1", "cargo test");
    phone_always(&mut desk, &mut pocket, request, PROJECT, "cargo test --release");
    assert_eq!(desk.said(hook), None);
    assert!(desk.core.rules().is_empty());
}

#[test]
fn rules_on_a_revoked_phones_word_answer_nothing_until_a_person_looked_at_them() {
    let mut desk = Desk::fresh();
    let mut pocket = desk.pair("ada's phone");
    let (_, request) = desk.ask("s1", "cargo test");
    phone_always(&mut desk, &mut pocket, request, PROJECT, "cargo test");
    desk.act(Input::Revoke(pocket.device));
    assert!(!is_allowed(&mut desk, "s2", "cargo test"));
    desk.crash();
    assert!(!is_allowed(&mut desk, "s3", "cargo test"), "suspended on disk as well");
    let rule = desk.core.rules()[0].id;
    desk.act(Input::ResumeRule(rule));
    assert!(is_allowed(&mut desk, "s4", "cargo test"));
}

#[test]
fn always_is_not_offered_for_what_may_not_be_remembered() {
    let mut desk = Desk::fresh();
    let long = format!("cargo test {}", "x".repeat(300));
    for command in ["cargo build\ncargo test", &long, "curl https://example.com", "cargo\u{200b} test"] {
        let (_, request) = desk.ask("s1", command);
        let card = desk.core.card(request).expect("a card").request;
        assert!(card.always.is_empty(), "{command:?}");
        desk.act(Input::Deny(countersign_core::input::Which::All));
    }
    let (_, request) = desk.ask_draft(Draft { whole: false, ..draft("s1", "cargo test") }, 125_000);
    let offered = &desk.core.card(request).expect("a card").request.always;
    assert_eq!(offered.iter().map(|always| always.scope.raw()).collect::<Vec<_>>(), ["session"]);
}

#[test]
fn green_reads_pass_once_their_policy_was_accepted_and_are_recorded_with_its_consent() {
    let mut desk = Desk::fresh();
    assert_eq!(said(&mut desk, "s1", "cat README.md"), None, "declined, every read has a card");
    let text = builtin::text(TextKind::GreenReads).expect("a text").to_owned();
    accept(&mut desk, TextKind::GreenReads, &text, 1, None);
    assert!(is_allowed(&mut desk, "s1", "cat README.md"));
    let entry = desk.entries().into_iter().rev().find(|entry| entry.body.event.name() == "allowed").unwrap();
    assert_eq!(entry.body.source.as_ref().map(|source| source.raw()), Some("green"));
    assert_eq!(entry.body.basis, Some([1; 16]));
    assert!(!is_allowed(&mut desk, "s1", "cargo build"));
    let write = draft_of("s1", "Write", &json!({"file_path": "/home/ada/site/a.md", "content": "x"}));
    let (hook, _) = desk.ask_draft(write.clone(), 125_000);
    assert_eq!(desk.said(hook), None, "writes have a policy of their own");
    let text = builtin::text(TextKind::GreenWrites).expect("a text").to_owned();
    accept(&mut desk, TextKind::GreenWrites, &text, 2, None);
    let (hook, _) = desk.ask_draft(write, 125_000);
    assert_eq!(desk.said(hook), Some(Said::Allow));
    desk.act(Input::RevokeConsent(ConsentId([1; 16])));
    assert_eq!(said(&mut desk, "s1", "cat README.md"), None);
}

#[test]
fn a_text_that_is_not_the_built_in_one_is_no_consent_to_green() {
    let mut desk = Desk::fresh();
    accept(&mut desk, TextKind::GreenReads, "allow everything", 1, None);
    assert!(matches!(desk.reports.last(), Some(Report::Refused(_))), "{:?}", desk.reports);
    assert_eq!(said(&mut desk, "s1", "cat README.md"), None);
}

#[test]
fn an_accepted_policy_answers_and_its_revocation_makes_the_same_call_ask_again() {
    let mut desk = accepted("allow read\nallow command git add *\n");
    assert!(is_allowed(&mut desk, "s1", "git status"));
    assert!(is_allowed(&mut desk, "s1", "git add src/main.rs"));
    assert!(!is_allowed(&mut desk, "s1", "git push origin topic"));
    assert!(desk.changes.iter().any(
        |change| matches!(change, Change::Passed { by, .. } if by.as_str() == "allowed by your policy")
    ));
    desk.crash();
    assert!(is_allowed(&mut desk, "s1", "git status"), "a consent outlives a restart");
    desk.act(Input::RevokeConsent(ConsentId([1; 16])));
    assert!(!is_allowed(&mut desk, "s1", "git status"));
    desk.crash();
    assert!(!is_allowed(&mut desk, "s1", "git status"));
}

#[test]
fn a_newer_policy_for_the_same_place_replaces_the_older_and_an_edit_to_another_place_ends_it() {
    let mut desk = accepted("allow read\n");
    accept(&mut desk, TextKind::Lines, "allow write\n", 2, None);
    assert!(!is_allowed(&mut desk, "s1", "git status"));
    assert!(is_allowed(&mut desk, "s1", "mkdir docs"));
    accept(&mut desk, TextKind::Lines, "project ~/other\nallow write\n", 3, Some(ConsentId([2; 16])));
    assert!(!is_allowed(&mut desk, "s1", "mkdir docs"));
    let states: Vec<ConsentState> = desk.core.consents().iter().map(|consent| consent.state).collect();
    assert_eq!(states, [ConsentState::Replaced, ConsentState::RevokedByEdit, ConsentState::Accepted]);
}

#[test]
fn a_policy_with_an_error_is_refused_with_its_place_and_nothing_changes() {
    let mut desk = accepted("allow read\n");
    accept(&mut desk, TextKind::Lines, "allow read\nallow destructive\n", 2, None);
    let Some(Report::Refused(words)) = desk.reports.last() else { panic!("{:?}", desk.reports) };
    assert!(words.as_str().contains("line 2"), "{words}");
    assert!(is_allowed(&mut desk, "s1", "git status"), "the one in force stays");
}

#[test]
fn a_deny_line_beats_a_rule_and_the_agent_hears_which() {
    let mut desk = Desk::fresh();
    always(&mut desk, "s1", "cargo test", PROJECT);
    accept(&mut desk, TextKind::Lines, "deny command cargo test\n", 1, None);
    let Some(Said::Deny(words)) = said(&mut desk, "s1", "cargo test") else { panic!("not denied") };
    assert!(words.contains("deny command cargo test"), "{words}");
}

#[test]
fn what_is_refused_gets_no_card_and_no_button_and_is_recorded() {
    let mut desk = Desk::fresh();
    let pocket = desk.pair("ada's phone");
    for command in ["git push origin main", "cat ~/.ssh/id_ed25519", "countersign unlock"] {
        let (hook, request) = desk.ask("s1", command);
        assert!(matches!(desk.said(hook), Some(Said::Deny(_))), "{command}: {:?}", desk.said(hook));
        assert!(
            desk.core.card(request).is_none() && desk.offer(pocket.device, request).is_none(),
            "{command}"
        );
    }
    let refused = desk.entries().into_iter().filter(|entry| {
        entry.body.event.name() == "denied"
            && entry.body.source.as_ref().is_some_and(|s| s.raw() == "refused")
    });
    assert_eq!(refused.count(), 3);
}

#[test]
fn before_a_call_the_answer_is_deny_ask_or_nothing_and_never_yes() {
    let mut desk = accepted("allow read\nask command cargo publish\ndeny command curl\n");
    let mut said = |command: &str| before(&mut desk, draft("s1", command));
    assert!(matches!(said("git push origin main"), Some(Said::Deny(_))));
    assert!(matches!(said("curl https://example.com"), Some(Said::Deny(_))));
    assert!(matches!(said("rm -rf build"), Some(Said::Ask(_))));
    assert!(matches!(said("rm notes.txt"), Some(Said::Ask(_))));
    assert!(matches!(said("cargo publish"), Some(Said::Ask(_))));
    assert!(matches!(said("stripe payment_intents create --amount 5"), Some(Said::Ask(_))));
    assert!(matches!(said("sed -i s/a/b/ .claude/settings.json"), Some(Said::Ask(_))));
    for silent in ["git status", "cargo test", "mkdir docs"] {
        assert_eq!(said(silent), Some(Said::Silence), "{silent}");
    }
    assert_eq!(count(&desk, "asked_first"), 5);
    assert_eq!(count(&desk, "denied"), 2);
    assert!(!desk.allowed_anything());
}

#[test]
fn the_third_identical_call_in_a_row_asks() {
    let mut desk = accepted("allow read\n");
    assert!(is_allowed(&mut desk, "s1", "git status"));
    assert!(is_allowed(&mut desk, "s1", "git status"));
    assert!(!is_allowed(&mut desk, "s1", "git status"));
    assert!(is_allowed(&mut desk, "s1", "git diff"));
    assert!(is_allowed(&mut desk, "s1", "git status"), "another call in between begins anew");
}

#[test]
fn a_run_though_denied_is_recorded_told_and_switches_everything_off_for_that_session() {
    let mut desk = accepted("allow read\n");
    let pocket = desk.pair("ada's phone");
    let call = draft("s1", "make deploy");
    desk.ask_draft(call.clone(), 125_000);
    desk.act(Input::Deny(countersign_core::input::Which::All));
    desk.act(ran(&call));
    assert_eq!(count(&desk, "differed"), 1);
    assert!(desk.changes.iter().any(|change| matches!(change, Change::Alarm(_))));
    assert!(desk.notices(pocket.device).iter().any(|text| text.contains("though it was denied")));
    assert!(!is_allowed(&mut desk, "s1", "git status"));
    assert!(is_allowed(&mut desk, "s2", "git status"), "other sessions go on");
    desk.crash();
    assert!(!is_allowed(&mut desk, "s1", "git diff"), "and it outlives a restart");
}

#[test]
fn what_ran_as_it_was_answered_is_no_difference() {
    let mut desk = Desk::fresh();
    for command in ["cargo test", "make deploy"] {
        let call = draft("s1", command);
        let (_, request) = desk.ask_draft(call.clone(), 125_000);
        click(&mut desk, request, Choice::AllowOnce);
        desk.act(ran(&call));
    }
    // Denied, asked again, allowed, run.
    let call = draft("s1", "cargo build");
    desk.ask_draft(call.clone(), 125_000);
    desk.act(Input::Deny(countersign_core::input::Which::All));
    let (_, request) = desk.ask_draft(call.clone(), 125_000);
    click(&mut desk, request, Choice::AllowOnce);
    desk.act(ran(&call));
    assert_eq!(count(&desk, "differed"), 0);
}

/// A call as Claude Code names it before and after: its question carries no id.
fn named(call: &Draft, id: &str) -> Draft {
    Draft { call_id: Some(countersign_proto::text::Foreign::new(id)), ..call.clone() }
}

#[test]
fn a_question_without_an_id_still_decides_on_the_call_that_had_one_before() {
    let mut desk = Desk::fresh();
    let call = draft("s1", "make deploy");
    before(&mut desk, named(&call, "toolu_1"));
    desk.ask_draft(call.clone(), 125_000);
    desk.act(Input::Deny(countersign_core::input::Which::All));
    // Asked again under another id and allowed: that one may run.
    before(&mut desk, named(&call, "toolu_2"));
    let (_, request) = desk.ask_draft(call.clone(), 125_000);
    click(&mut desk, request, Choice::AllowOnce);
    desk.act(ran(&named(&call, "toolu_2")));
    assert_eq!(count(&desk, "differed"), 0);
    before(&mut desk, named(&call, "toolu_3"));
    desk.ask_draft(call.clone(), 125_000);
    desk.act(Input::Deny(countersign_core::input::Which::All));
    desk.act(ran(&named(&call, "toolu_3")));
    assert_eq!(count(&desk, "differed"), 1, "it ran though it was denied");
}

#[test]
fn a_call_that_was_changed_after_we_saw_it_is_a_difference_unless_its_person_saw_the_change() {
    let mut desk = Desk::fresh();
    let (shown, changed) = (draft("s1", "ls"), draft("s1", "rm -rf build"));
    before(&mut desk, named(&shown, "toolu_1"));
    let (_, request) = desk.ask_draft(changed.clone(), 125_000);
    click(&mut desk, request, Choice::AllowOnce);
    desk.act(ran(&named(&changed, "toolu_1")));
    assert_eq!(count(&desk, "differed"), 0, "the card showed what ran");
    before(&mut desk, named(&draft("s2", "ls"), "toolu_2"));
    desk.act(ran(&named(&draft("s2", "rm -rf build"), "toolu_2")));
    assert_eq!(count(&desk, "differed"), 1, "nobody was shown what ran");
}

#[test]
fn outside_content_marks_a_session_durably_and_narrows_what_passes() {
    let mut desk = accepted("allow read\nallow external\nallow read-external\n");
    assert!(is_allowed(&mut desk, "s1", "gh pr list"));
    assert_eq!(count(&desk, "tainted"), 1);
    assert!(!is_allowed(&mut desk, "s1", "gh pr create"), "it acts outside");
    assert!(is_allowed(&mut desk, "s1", "git status"), "a read without a host still passes");
    let (_, request) = desk.ask("s1", "cargo build");
    assert!(desk.core.card(request).expect("a card").request.taint, "the card says so");
    desk.crash();
    assert!(!is_allowed(&mut desk, "s1", "gh pr create"), "the mark outlives a restart");
    assert!(is_allowed(&mut desk, "s9", "gh pr create"), "another session is not marked");
}

#[test]
fn risky_variables_switch_off_what_passes_until_the_person_accepts_exactly_that() {
    let mut desk = accepted("allow read\n");
    let risky = |what: &str| Draft {
        risky: vec![countersign_proto::text::Foreign::new(what)],
        ..draft("s1", "git status")
    };
    let (hook, _) = desk.ask_draft(risky("LD_PRELOAD is set"), 125_000);
    assert_eq!(desk.said(hook), None);
    desk.act(Input::AcceptRisk("LD_PRELOAD is set".to_owned()));
    let (hook, _) = desk.ask_draft(risky("LD_PRELOAD is set"), 125_000);
    assert_eq!(desk.said(hook), Some(Said::Allow));
    let (hook, _) = desk.ask_draft(risky("GIT_DIR is set"), 125_000);
    assert_eq!(desk.said(hook), None);
}

#[test]
fn strict_and_paused_narrow_at_once_and_are_kept() {
    let mut desk = accepted("allow write\nallow read\n");
    desk.act(Input::Strict { what: Strict::Project("/home/ada/site".to_owned()), is_strict: true });
    assert!(!is_allowed(&mut desk, "s1", "mkdir docs"));
    assert!(is_allowed(&mut desk, "s1", "git status"));
    let (_, request) = desk.ask("s1", "cargo test");
    let offered = desk.core.card(request).expect("a card").request.always.len();
    assert_eq!(offered, 1, "only for the session");
    desk.crash();
    assert!(!is_allowed(&mut desk, "s1", "mkdir docs"));
    desk.act(Input::Pause(true));
    assert_eq!(said(&mut desk, "s1", "git status"), Some(Said::Silence));
    assert!(matches!(said(&mut desk, "s1", "git push origin main"), Some(Said::Deny(_))), "refusals stand");
    desk.crash();
    assert_eq!(said(&mut desk, "s1", "git status"), Some(Said::Silence));
    desk.act(Input::Pause(false));
    assert!(is_allowed(&mut desk, "s1", "git status"));
}

#[test]
fn what_was_decided_before_releases_nothing_that_could_not_be_stored() {
    use countersign_tests::desk::Shelf as _;
    let mut desk = accepted("allow read\n");
    desk.shelf.fail(1);
    assert_eq!(said(&mut desk, "s1", "git status"), Some(Said::Silence));
    assert!(!desk.allowed_anything());
    desk.shelf.fail(1);
    let (_, request) = desk.ask("s1", "cargo test");
    assert!(desk.core.card(request).is_none());
    desk.shelf.fail(1);
    accept(&mut desk, TextKind::Lines, "allow write\n", 2, None);
    assert_eq!(desk.reports.last(), Some(&Report::NotStored));
    assert!(!is_allowed(&mut desk, "s1", "mkdir docs"), "what widens was not done");
}

#[test]
fn facts_that_change_while_a_policy_answers_make_a_card() {
    let mut desk = accepted("allow read\n");
    let call = draft("s1", "git status");
    let worse = draft("s1", "git push origin topic");
    desk.next_facts = Some(Draft { facts: worse.facts, ..call.clone() });
    let (hook, _) = desk.ask_draft(call, 125_000);
    assert_eq!(desk.said(hook), None);
    assert_eq!(desk.core.cards().len(), 1);
    assert!(!desk.allowed_anything());
}

#[test]
fn protected_names_and_lifted_env_files_are_kept_and_need_open_doors_to_widen() {
    let mut desk = Desk::fresh();
    desk.act(Input::Protect { branch: "release".to_owned(), is_protected: true });
    desk.act(Input::LiftEnv { project: "/home/ada/site".to_owned(), is_lifted: true });
    desk.crash();
    assert_eq!(desk.core.protected(), ["release"]);
    assert!(desk.core.env_is_lifted(Some(b"/home/ada/site")));
    assert!(!desk.core.env_is_lifted(Some(b"/home/ada/other")) && !desk.core.env_is_lifted(None));
    desk.act(Input::Lock);
    desk.act(Input::Protect { branch: "release".to_owned(), is_protected: false });
    desk.act(Input::LiftEnv { project: "/home/ada/other".to_owned(), is_lifted: true });
    assert_eq!(desk.core.protected(), ["release"]);
    assert!(!desk.core.env_is_lifted(Some(b"/home/ada/other")));
    desk.act(Input::LiftEnv { project: "/home/ada/site".to_owned(), is_lifted: false });
    assert!(!desk.core.env_is_lifted(Some(b"/home/ada/site")), "what narrows is done while locked, too");
}
