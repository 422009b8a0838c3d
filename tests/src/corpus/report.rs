//! A score for people, and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::score::{Confusion, Miss, Score, Tally};

/// The score as text.
#[must_use]
pub fn print(title: &str, score: &Score) -> String {
    let mut out = String::new();
    let all = score.all_fields();
    let dangerous: Vec<&Miss> = score.dangerous().collect();
    line(
        &mut out,
        &format!("{title}: {} cases, {}", score.cases.of, share(score.cases, "with everything right")),
    );
    line(&mut out, &format!("  fields       {}", share(all, "right")));
    line(&mut out, &format!("  dangerous    {}", dangerous.len()));
    if score.false_alarms.of > 0 {
        line(&mut out, &format!("  false alarms {}", share(score.false_alarms, "of benign cases")));
    }
    for (field, tally) in &score.fields {
        line(&mut out, &format!("    {field:22} {}", share(*tally, "right")));
    }
    line(&mut out, "\n  by family");
    for (family, tally) in &score.families {
        line(&mut out, &format!("    {family:34} {}", share(*tally, "fields right")));
    }
    for (field, confusion) in &score.confusion {
        table(&mut out, field, confusion);
    }
    list(&mut out, "dangerous", &dangerous);
    list(
        &mut out,
        "other misses",
        &score.misses.iter().filter(|miss| !miss.is_dangerous).collect::<Vec<_>>(),
    );
    out
}

/// The score as JSON.
#[must_use]
pub fn to_json(score: &Score) -> Value {
    let table = |confusion: &Confusion| -> Vec<Value> {
        let pairs = confusion.iter();
        pairs
            .map(|((label, verdict), count)| json!({"label": label, "verdict": verdict, "count": count}))
            .collect()
    };
    let confusion: serde_json::Map<String, Value> = score
        .confusion
        .iter()
        .map(|(field, confusion)| ((*field).to_owned(), table(confusion).into()))
        .collect();
    json!({
        "cases": score.cases,
        "fields": score.all_fields(),
        "by_field": score.fields,
        "by_family": score.families,
        "dangerous": score.dangerous().count(),
        "false_alarms": score.false_alarms,
        "confusion": confusion,
        "misses": score.misses,
    })
}

fn line(out: &mut String, text: &str) {
    // Writing to a text can't fail.
    let _ = writeln!(out, "{text}");
}

fn share(tally: Tally, words: &str) -> String {
    format!("{} of {} ({:.2} %) {words}", tally.count, tally.of, tally.percent())
}

/// A confusion table: labels down, what came out across.
fn table(out: &mut String, name: &str, pairs: &Confusion) {
    let mut names: Vec<&str> =
        pairs.keys().flat_map(|(expected, got)| [expected.as_str(), got.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    line(out, &format!("\n  {name}: label down, verdict across (an accepted value counts as its label)"));
    let head: String = names.iter().map(|name| format!("{name:>14}")).collect();
    line(out, &format!("    {:16}{head}", ""));
    for expected in &names {
        let count =
            |got: &&str| pairs.get(&((*expected).to_owned(), (*got).to_owned())).copied().unwrap_or(0);
        let row: String = names.iter().map(|got| format!("{:>14}", count(got))).collect();
        line(out, &format!("    {expected:16}{row}"));
    }
}

fn list(out: &mut String, name: &str, misses: &[&Miss]) {
    line(out, &format!("\n  {name}: {}", misses.len()));
    for miss in misses {
        let (expected, got) = (&miss.expected, &miss.got);
        line(
            out,
            &format!(
                "    {} {} {} expected {expected} got {got} | {} | {}",
                miss.id, miss.family, miss.field, miss.words, miss.why
            ),
        );
    }
}
