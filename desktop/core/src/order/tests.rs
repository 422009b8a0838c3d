//! Each step of the table, and what comes before what.

use countersign_proto::id::Hash;

use super::*;
use crate::{
    classify::{Reach, facts::RefusedFor},
    policy::Origin,
};

const GREEN: ConsentId = ConsentId([1; 16]);
const WRITES: ConsentId = ConsentId([2; 16]);
const RULE: RuleId = RuleId([3; 16]);

fn line(text: &str) -> LineRef {
    LineRef { origin: Origin::Person(GREEN), text_hash: Hash::new([0; 32]), number: 1, text: text.to_owned() }
}

fn facts(class: Class, level: Level) -> Facts {
    Facts::for_test(class, level, Reach::Class)
}

fn refused() -> Facts {
    let words = Shown::line("closed");
    facts(Class::Read, Level::Red).with_refusal(Refused { about: RefusedFor::ClosedPath, words })
}

/// Everything that could let a call pass is in force.
fn open<'a>(facts: &'a Facts, verdict: &'a Verdict) -> Standing<'a> {
    Standing {
        facts,
        verdict,
        is_whole: true,
        off: None,
        is_tainted: false,
        is_strict: false,
        is_paused: false,
        is_locked: false,
        green_reads: Some(GREEN),
        green_writes: Some(WRITES),
        rule: Some(RULE),
        rule_is_saved: true,
        changed_rule: None,
    }
}

fn all() -> Verdict {
    Verdict {
        deny: Some(line("deny read")),
        ask: Some(line("ask read")),
        soft_ask: Some(line("read: ask")),
        shadow: Some(line("deny command git push")),
        allow: Some(line("allow read")),
    }
}

fn number(step: &Step) -> u8 {
    match step {
        Step::Refuse(_) => 1,
        Step::Deny(_) => 2,
        Step::Card(why) => why.step,
        Step::Allow(Door(Kind::Green(_))) => 6,
        Step::Allow(Door(Kind::Rule(_))) => 7,
        Step::Allow(Door(Kind::Line(_))) => 8,
        Step::Abstain => 0,
    }
}

fn is_card(step: &Step) -> bool {
    matches!(step, Step::Card(_))
}

#[test]
fn the_first_step_that_fits_decides() {
    let read = facts(Class::Read, Level::Green);
    let mut verdict = all();
    assert_eq!(number(&step(&open(&refused(), &verdict))), 1);
    assert_eq!(number(&step(&open(&read, &verdict))), 2);
    verdict.deny = None;
    assert_eq!(number(&step(&open(&facts(Class::Destructive, Level::Yellow), &verdict))), 3);
    assert_eq!(number(&step(&open(&read, &verdict))), 5);
    verdict.ask = None;
    verdict.shadow = None;
    assert_eq!(number(&step(&open(&read, &verdict))), 6);
    let yellow = facts(Class::Unknown, Level::Yellow);
    assert_eq!(number(&step(&open(&yellow, &verdict))), 7);
    let without_rule = Standing { rule: None, ..open(&yellow, &verdict) };
    let why = step(&without_rule);
    assert_eq!((number(&why), is_card(&why)), (5, true), "a permission file's ask comes after a rule");
    verdict.soft_ask = None;
    assert_eq!(number(&step(&Standing { rule: None, ..open(&yellow, &verdict) })), 8);
    verdict.allow = None;
    assert_eq!(number(&step(&Standing { rule: None, ..open(&yellow, &verdict) })), 9);
}

#[test]
fn an_ask_of_a_permission_file_yields_to_green_reads_and_not_to_green_writes() {
    let verdict = Verdict { soft_ask: Some(line("edit = ask")), ..Verdict::default() };
    for (class, number_of_step) in [(Class::Read, 6), (Class::Write, 5)] {
        let facts = facts(class, Level::Green);
        assert_eq!(
            number(&step(&Standing { rule: None, ..open(&facts, &verdict) })),
            number_of_step,
            "{class:?}"
        );
    }
}

#[test]
fn nothing_decided_before_answers_what_is_destructive_spends_or_guards() {
    let verdict = Verdict { deny: None, ask: None, soft_ask: None, shadow: None, ..all() };
    for class in [Class::Destructive, Class::Spend, Class::Guard] {
        for level in [Level::Green, Level::Yellow, Level::Red] {
            let step = step(&open(&facts(class, level), &verdict));
            assert!(
                matches!(&step, Step::Card(why) if why.step == 3 && !why.may_offer),
                "{class:?} {step:?}"
            );
        }
    }
}

#[test]
fn a_rule_never_answers_what_is_red() {
    let verdict = Verdict::default();
    let red = facts(Class::External, Level::Red);
    assert!(is_card(&step(&open(&red, &verdict))));
}

#[test]
fn a_call_that_is_not_whole_asks_and_may_still_be_remembered_for_its_session() {
    let verdict = Verdict { allow: Some(line("allow read")), ..Verdict::default() };
    let read = facts(Class::Read, Level::Green);
    let step = step(&Standing { is_whole: false, ..open(&read, &verdict) });
    assert!(matches!(&step, Step::Card(why) if why.may_offer), "{step:?}");
}

#[test]
fn what_switches_steps_off_lets_refusals_and_deny_lines_stand() {
    let read = facts(Class::Read, Level::Green);
    let allow = Verdict { allow: Some(line("allow read")), ..Verdict::default() };
    let off = Shown::line("LD_PRELOAD is set");
    assert!(is_card(&step(&Standing { off: Some(&off), ..open(&read, &allow) })));
    assert_eq!(step(&Standing { is_paused: true, ..open(&read, &allow) }), Step::Abstain);
    assert!(is_card(&step(&Standing { is_locked: true, ..open(&read, &allow) })));
    let deny = Verdict { deny: Some(line("deny read")), ..Verdict::default() };
    for standing in [
        Standing { off: Some(&off), ..open(&read, &deny) },
        Standing { is_paused: true, ..open(&read, &deny) },
        Standing { is_locked: true, ..open(&read, &deny) },
    ] {
        assert_eq!(number(&step(&standing)), 2);
    }
    assert_eq!(number(&step(&Standing { is_paused: true, ..open(&refused(), &deny) })), 1);
}

#[test]
fn a_tainted_session_passes_only_reads_and_writes_that_name_no_host() {
    let allow = Verdict { allow: Some(line("allow external")), ..Verdict::default() };
    let tainted = |facts: &Facts| is_card(&step(&Standing { is_tainted: true, ..open(facts, &allow) }));
    assert!(!tainted(&facts(Class::Read, Level::Green)));
    assert!(!tainted(&facts(Class::Write, Level::Yellow)));
    assert!(tainted(&facts(Class::Write, Level::Yellow).with_host("example.com")));
    for class in [Class::External, Class::ReadExternal, Class::Unknown] {
        assert!(tainted(&facts(class, Level::Yellow)), "{class:?}");
    }
}

#[test]
fn strict_switches_off_green_writes_allow_lines_of_class_write_and_rules_for_the_project() {
    let allow = Verdict { allow: Some(line("allow write")), ..Verdict::default() };
    let strict = |facts: &Facts, rule: Option<RuleId>, rule_is_saved| {
        number(&step(&Standing { is_strict: true, rule, rule_is_saved, ..open(facts, &allow) }))
    };
    assert_eq!(strict(&facts(Class::Write, Level::Green), None, false), 9);
    assert_eq!(strict(&facts(Class::Write, Level::Yellow), Some(RULE), true), 9);
    assert_eq!(strict(&facts(Class::Write, Level::Yellow), Some(RULE), false), 7);
    assert_eq!(strict(&facts(Class::Read, Level::Green), None, false), 6);
    assert_eq!(strict(&facts(Class::Read, Level::Yellow), None, false), 8);
}

#[test]
fn green_passes_only_by_the_consent_to_it() {
    let verdict = Verdict::default();
    let read = facts(Class::Read, Level::Green);
    let write = facts(Class::Write, Level::Green);
    let declined =
        |facts| Standing { green_reads: None, green_writes: None, rule: None, ..open(facts, &verdict) };
    assert!(is_card(&step(&declined(&read))) && is_card(&step(&declined(&write))));
    let reads_only = Standing { green_reads: Some(GREEN), ..declined(&write) };
    assert!(is_card(&step(&reads_only)), "the consent to reads is none to writes");
}

#[test]
fn a_command_that_begins_like_a_denied_one_is_allowed_by_no_line_and_no_rule() {
    let verdict = Verdict {
        shadow: Some(line("deny command git push origin main")),
        allow: Some(line("allow external")),
        ..Verdict::default()
    };
    let call = facts(Class::External, Level::Yellow);
    let step = step(&open(&call, &verdict));
    assert!(matches!(&step, Step::Card(why) if why.line == verdict.shadow), "{step:?}");
}

#[test]
fn a_card_says_that_what_a_rule_runs_has_changed() {
    let verdict = Verdict::default();
    let call = facts(Class::Unknown, Level::Yellow);
    let step = step(&Standing { rule: None, changed_rule: Some(RULE), ..open(&call, &verdict) });
    assert!(matches!(&step, Step::Card(why) if why.words.as_str().contains("changed since you said Always")));
}
