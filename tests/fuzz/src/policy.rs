//! What is promised of the texts that a person writes down: every text is a policy or is told what is wrong with it, and
//! a policy written back is the same policy.

use countersign_agents::measure::policies;
use countersign_core::policy::{
    ConsentId, InForce, Origin,
    line::Policy,
    parse,
    permission::{Permissions, parse as parse_file, parse_value},
    trouble::{MOST, ParseError},
};

use super::fixed::assert_told;

const HOME: &str = "/home/ada";

/// A policy: read and written back it says the same; or its errors name places that are there.
pub fn policy_lines(bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else { return false };
    assert_eq!(parse::parse(text, HOME), parse::parse(text, HOME));
    let policy = match parse::parse(text, HOME) {
        Ok(policy) => policy,
        Err(errors) => {
            assert!((1..=MOST).contains(&errors.len()), "{} errors", errors.len());
            assert!(errors.is_sorted_by_key(|error| error.line), "{errors:?}");
            errors.iter().for_each(|error| assert_is_there(error, text));
            return false;
        }
    };
    let lines = u32::try_from(text.split('\n').count()).expect("few lines");
    assert!(policy.lines.iter().all(|line| (1..=lines).contains(&line.number)), "{policy:?}");
    assert!(policy.remarks.iter().all(|remark| (1..=lines).contains(&remark.line)), "{policy:?}");
    policy.remarks.iter().for_each(assert_told);
    let written = policy.to_string();
    let again = parse::parse(&written, HOME).unwrap_or_else(|errors| panic!("{written:?}: {errors:?}"));
    assert_eq!(said(&again), said(&policy), "{written:?}");
    assert_eq!(again.to_string(), written, "writing it twice is another text");
    // Keeping it ready for calls takes no policy apart.
    let kept = InForce::lines(Origin::Person(ConsentId([1; 16])), text, policy);
    assert_eq!(kept.hash(), countersign_core::policy::text_hash(text));
    true
}

/// What a policy says, without where it stood.
fn said(policy: &Policy) -> (Option<String>, Option<Vec<String>>, Vec<String>) {
    let lines = policy.lines.iter().map(|line| format!("{:?} {:?}", line.effect, line.object)).collect();
    (policy.project.as_ref().map(|project| project.path.clone()), policy.agents.clone(), lines)
}

/// A permission file and a bare value of `permission`; after a first line `{` also a whole case as it is measured.
pub fn permission_json(bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else { return false };
    if let Ok(case) = policies::Case::parse(text.as_bytes()) {
        assert_eq!(case.evaluate(), case.evaluate());
    }
    let [file, value] = [parse_file(text, HOME), parse_value(text, HOME)];
    let mut is_taken = false;
    for read in [&file, &value] {
        match read {
            Ok(permissions) => {
                assert_permissions(permissions, text);
                is_taken = true;
            }
            Err(error) => assert_is_there(error, text),
        }
    }
    is_taken
}

fn assert_permissions(permissions: &Permissions, text: &str) {
    let lines = u32::try_from(text.split('\n').count()).expect("few lines");
    assert_eq!(permissions.rules().count(), permissions.len());
    for (_, rule) in permissions.rules() {
        assert!((1..=lines).contains(&rule.number()), "{rule}");
        assert!(text.contains(rule.effect().name()) || text.contains('\\'), "{rule}");
    }
}

/// Asserts that an error names a place that the text has, or the one right behind a line, and hides nothing.
fn assert_is_there(error: &ParseError, text: &str) {
    assert_told(error);
    let line = text.split('\n').nth(error.line.saturating_sub(1) as usize);
    let Some(line) = line else { panic!("{error:?} names a line that is not there") };
    assert!(error.line >= 1 && error.column >= 1, "{error:?}");
    assert!(error.column as usize <= line.chars().count() + 1, "{error:?} names a column that is not there");
}
