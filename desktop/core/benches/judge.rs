//! Judging and deciding against their goals, printed plainly: everyday commands in microseconds, everything that must not
//! grow (texts of other lengths, many policy lines, many rules) as ratios, which hold on a busy machine too.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench reads a clock and a corpus, prints, and stops where its input is not what it was"
)]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use countersign_core::{
    Core, DecidedBefore, Start,
    audit::Head,
    classify::{Action, Call, Facts, Program, Push, Real, Resolver, Script, Shell, classify},
    clock::Now,
    command::Command,
    draft::{Draft, SessionKey},
    input::{Before, HookId, Input},
    order::{self, Standing},
    policy::{Asked, ConsentId, InForce, Origin, SessionView, parse, verdict},
    rule::{FolderId, OnWord, Rule, RuleId, Scope, key},
    settings::Settings,
};
use countersign_proto::{
    id::{LogId, RunId},
    key::SigningKey,
    request::{Block, Place},
    text::{Foreign, Shown},
};

const HOME: &str = "/home/u";
const PROJECT: &str = "/home/u/proj";
/// The labelled requests; their shell texts are the everyday and the hostile commands here.
const CORPUS: &str = include_str!("../../../tests/corpus/dev.jsonl");
/// A policy as people have one.
const POLICY: &str = "allow read\nallow command npm test\nallow command cargo test *\nallow command git add *\n\
ask command git commit\ndeny command git push --force\ndeny host example.com\nallow tool Edit\nallow write\nask external\n";

/// A world that answers at once, so that only judgement is measured.
struct Plain;

impl Resolver for Plain {
    fn real(&self, path: &str) -> Real {
        Real::At(path.to_owned())
    }
    fn program(&self, name: &str, _: &str) -> Program {
        Program::Trusted(format!("/usr/bin/{name}"))
    }
    fn push(&self, _: &str) -> Push {
        Push::Unknown
    }
    fn git_starts_programs(&self, _: &str) -> bool {
        false
    }
    fn holds_private(&self, _: &str) -> bool {
        false
    }
}

fn shell(text: &str) -> Action {
    Action::Shell(Shell { script: Script::Bash(text.to_owned()), folder: None })
}

fn facts(action: &Action) -> Facts {
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action,
        folder: PROJECT,
        worktree: PROJECT,
        home: HOME,
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    classify(&call, &Plain)
}

fn decide(action: &Action, facts: &Facts, texts: &[InForce]) {
    let asked = Asked {
        agent: "claude",
        profile: None,
        tool: "Bash",
        action,
        facts,
        folder: PROJECT,
        home: HOME,
        is_whole: true,
        takes_allow_lines: true,
        session: SessionView { start_folder: Some(PROJECT), moved: false, is_tainted: false, repeats: 1 },
    };
    let verdict = verdict(&asked, texts);
    let standing = Standing {
        facts,
        verdict: &verdict,
        is_whole: true,
        off: None,
        is_tainted: false,
        is_strict: false,
        is_paused: false,
        is_locked: false,
        green_reads: Some(ConsentId([1; 16])),
        green_writes: Some(ConsentId([2; 16])),
        rule: None,
        rule_is_saved: false,
        changed_rule: None,
    };
    black_box(order::step(&standing));
}

fn in_force(text: &str) -> InForce {
    let policy = parse::parse(text, HOME).unwrap_or_else(|errors| panic!("{errors:?}"));
    InForce::lines(Origin::Person(ConsentId([3; 16])), text, policy)
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// The least of some tries: what the work itself takes, whatever else the machine does.
fn least(tries: usize, mut work: impl FnMut()) -> f64 {
    (0..tries).map(|_| time(&mut work)).min().unwrap_or_default().as_secs_f64() * 1e6
}

/// The value below which this share of sorted values lies.
fn share(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

/// The shell texts of the corpus of at most 300 bytes, and whether they are everyday work.
fn commands() -> Vec<(String, bool)> {
    let cases = CORPUS.lines().filter_map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}"));
        let text = case["input"]["command"].as_str()?;
        (text.len() <= 300).then(|| (text.to_owned(), case["benign"] == true))
    });
    cases.collect()
}

fn row(name: &str, mut micros: Vec<f64>) {
    micros.sort_by(f64::total_cmp);
    let (half, most, all) = (share(&micros, 50), share(&micros, 99), micros.len());
    println!(
        "  {name:44} {all:>7}  p50 {half:>8.1} µs  p99 {most:>8.1} µs  max {:>8.1} µs",
        share(&micros, 100)
    );
}

/// Classify and decide, command by command: goal p50 ≤ 20 µs, p99 ≤ 200 µs.
fn everyday() {
    const ROUNDS: usize = 60;
    let texts = [in_force(POLICY)];
    let all = commands();
    let mut singles = vec![Vec::with_capacity(ROUNDS); all.len()];
    for _ in 0..ROUNDS {
        for ((text, _), single) in all.iter().zip(&mut singles) {
            let took = time(|| {
                let action = shell(text);
                decide(&action, &facts(&action), &texts);
            });
            single.push(took.as_secs_f64() * 1e6);
        }
    }
    println!("classify + decide, commands of the corpus up to 300 bytes (goal: p50 20 µs, p99 200 µs)");
    let of = |wanted: &dyn Fn(bool) -> bool| {
        let picked = all.iter().zip(&singles).filter(|((_, benign), _)| wanted(*benign));
        picked.map(|(_, single)| single.clone()).collect::<Vec<_>>()
    };
    for (name, picked) in [("everyday work", of(&|benign| benign)), ("every shell case", of(&|_| true))] {
        row(&format!("{name}: each call"), picked.concat());
        let medians = picked.into_iter().map(|mut single| {
            single.sort_by(f64::total_cmp);
            share(&single, 50)
        });
        row(&format!("{name}: each command's median"), medians.collect());
    }
    let mut slowest: Vec<(f64, &str)> = all
        .iter()
        .zip(&singles)
        .map(|((text, _), single)| (single.iter().copied().fold(f64::MAX, f64::min), text.as_str()))
        .collect();
    slowest.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("  slowest, least of {ROUNDS}:");
    for (micros, text) in slowest.iter().take(5) {
        let head: String = text.chars().take(80).collect();
        println!("    {micros:>8.1} µs  {head:?}");
    }
    let (mut classified, mut decided) = (0.0, 0.0);
    for (text, _) in &all {
        let action = shell(text);
        let found = facts(&action);
        classified += least(5, || drop(black_box(facts(&action))));
        decided += least(5, || decide(&action, &found, &texts));
    }
    let count = all.len() as f64;
    println!("  mean of least: classify {:.1} µs, decide {:.1} µs\n", classified / count, decided / count);
}

/// A text of a shape, of exactly so many bytes or a little less.
type Shape = (&'static str, fn(usize) -> String);

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

const SHAPES: &[Shape] = &[
    ("plain words", |bytes| repeated("word ", bytes)),
    ("one long word", |bytes| "w".repeat(bytes)),
    ("paths", |bytes| format!("cat {}", repeated("src/main.rs ", bytes - 4))),
    ("chained", |bytes| repeated("ls -la src && ", bytes)),
    ("piped", |bytes| repeated("cat a | ", bytes)),
    ("removals", |bytes| repeated("rm -rf x; ", bytes)),
    ("nested parentheses", |bytes| format!("{}ls{}", "(".repeat(bytes / 2 - 2), ")".repeat(bytes / 2 - 2))),
    ("nested substitutions", |bytes| format!("{}ls{}", "$(".repeat(bytes / 3), ")".repeat(bytes / 3 - 2))),
    ("quoted words", |bytes| repeated("'a b' \"c d\" ", bytes)),
    ("quotes unbalanced", |bytes| repeated("'a\" ", bytes)),
    ("substitutions", |bytes| repeated("echo $(ls `pwd`) ${x:-y}; ", bytes)),
    ("here-documents", |bytes| repeated("cat <<E\nrm -rf x\nE\n", bytes)),
    ("one long here-document", |bytes| format!("bash <<E\n{}\nE\n", repeated("rm x\n", bytes - 14))),
    ("wrappers", |bytes| repeated("env A=1 nice -n 5 ", bytes)),
    ("assignments", |bytes| repeated("x=rm; $x y; ", bytes)),
    ("braces", |bytes| repeated("{a,b}{c,d} ", bytes)),
    ("backslashes", |bytes| "\\".repeat(bytes)),
    ("an interpreter's code", |bytes| format!("python3 -c '{}'", repeated("x = 1; ", bytes - 14))),
];

/// Texts of other lengths: four times the bytes should take four times the time.
fn lengths() {
    const KIBIBYTES: [usize; 4] = [1, 4, 16, 64];
    println!("lengths: µs, then time at 64 KiB over 16 KiB and over 4 KiB (linear: 4 and 16)");
    println!("  {:24} {:>9} {:>9} {:>9} {:>9}   64/16   64/4", "shape", "1 KiB", "4 KiB", "16 KiB", "64 KiB");
    for (name, shape) in SHAPES {
        let took = KIBIBYTES.map(|size| {
            let action = shell(&shape(size * 1024));
            least(5, || drop(black_box(facts(&action))))
        });
        let [one, four, sixteen, all] = took;
        println!(
            "  {name:24} {one:>9.0} {four:>9.0} {sixteen:>9.0} {all:>9.0}  {:>6.1} {:>6.1}",
            all / sixteen,
            all / four
        );
    }
    println!();
}

/// Many lines beside few.
fn policy_lines() {
    let text = |count: usize| -> String {
        let line = |at: usize| match at % 5 {
            0 => format!("allow command tool{at} run *\n"),
            1 => format!("deny command git push{at}\n"),
            2 => format!("ask command npm run task{at}\n"),
            3 => format!("deny host h{at}.example.com\n"),
            _ => format!("deny path /srv/data/{at}\n"),
        };
        (0..count).map(line).collect()
    };
    let (few, many) = ([in_force(&text(10))], [in_force(&text(1000))]);
    println!("1,000 policy lines over 10: decide alone, and with classify");
    for command in [
        "git status",
        "npm run build && npm run lint",
        "cat src/main.rs | head -50",
        "curl https://example.org/x",
    ] {
        let action = shell(command);
        let found = facts(&action);
        let [least_few, least_many] =
            [&few, &many].map(|texts| least(2000, || decide(&action, &found, texts)));
        let judged = least(500, || drop(black_box(facts(&action))));
        println!(
            "  {command:34} {least_few:>7.2} µs → {least_many:>7.2} µs  × {:.2}, whole × {:.2}",
            least_many / least_few,
            (judged + least_many) / (judged + least_few)
        );
    }
    println!();
}

fn draft(command: &str) -> Draft {
    let action = shell(command);
    let facts = facts(&action);
    let (tool, input) = (Foreign::new("Bash"), command.as_bytes().to_vec());
    Draft {
        session: SessionKey { agent: "claude".to_owned(), session: Foreign::new("s") },
        title: Shown::line("s"),
        agent_version: Foreign::new("2"),
        adapter: 1,
        folder: PROJECT.as_bytes().to_vec(),
        raw: input.clone(),
        view_version: 1,
        view: vec![Block::Command(Foreign::new(command))],
        headline: facts.headline().clone(),
        words: Foreign::new(""),
        mode: Foreign::new("default"),
        subagent: None,
        whole: true,
        depends: Vec::new(),
        reasons: Vec::new(),
        input_hash: key("", &tool, None, b"", &input),
        call_id: None,
        profile: None,
        facts,
        start_folder: Some(PROJECT.as_bytes().to_vec()),
        project: Some(FolderId { device: 1, inode: 2 }),
        home: HOME.to_owned(),
        rule_key: key("claude", &tool, Some(PROJECT.as_bytes()), PROJECT.as_bytes(), &input),
        rule_text: Shown::line(command),
        can_be_pinned: true,
        risky: Vec::new(),
        takes_allow_lines: true,
        action,
        tool,
    }
}

/// A core with so many rules for the project, at work.
fn core(rules: u32) -> Core {
    let rule = |at: u32| {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&at.to_be_bytes());
        Rule::of(RuleId(id), &draft(&format!("make target{at}")), Scope::Project, OnWord::Desktop, 0)
    };
    let start = Start {
        run_id: RunId::new([1; 16]),
        desktop: SigningKey::from_seed(&[1; 32]),
        settings: Settings {
            demo: false,
            decision_timeout_ms: 115_000,
            place: Place { host: Foreign::new("desk"), user: Foreign::new("u") },
            home: HOME.to_owned(),
        },
        head: Head::empty(LogId::new([1; 16])),
        checkpoint: None,
        approvers: Vec::new(),
        locked: false,
        unfinished: Vec::new(),
        before: DecidedBefore { rules: (0..rules).filter_map(rule).collect(), ..DecidedBefore::default() },
    };
    let now = Now { boot_ms: 1, wall_ms: 1 };
    let mut core = Core::start(start, now);
    while let Some(command) = core.poll_command() {
        if let Command::Commit(transaction) = command {
            core.handle(Input::Committed(transaction.id), now);
        }
    }
    assert_eq!(core.rules().len(), rules as usize, "every rule is in force");
    core
}

/// Many rules beside few: a whole walk of the table by the core, for a call before it runs.
fn rules() {
    const TRIES: usize = 2000;
    println!("10,000 rules over 10: a call before it runs, through the core");
    let now = Now { boot_ms: 2, wall_ms: 2 };
    let mut cores = [core(10), core(10_000)];
    for command in ["make target7", "make all"] {
        let draft = draft(command);
        let took = cores.each_mut().map(|core| {
            let tries = (0..TRIES).map(|at| {
                // Another session each time: the same call again and again is asked about, and that is recorded.
                let session = SessionKey { session: Foreign::new(format!("s{at}")), ..draft.session.clone() };
                let draft = Draft { session, ..draft.clone() };
                let before = Before { hook: HookId(1), draft, silence_runs: true, arrived_boot_ms: 2 };
                let took = time(|| core.handle(Input::Before(Box::new(before)), now));
                let told: Vec<Command> = core::iter::from_fn(|| core.poll_command()).collect();
                let is_told = told.iter().any(|command| matches!(command, Command::Answer { .. }));
                assert!(is_told, "a walk of the table ends with an answer: {told:?}");
                took
            });
            tries.min().unwrap_or_default().as_secs_f64() * 1e6
        });
        println!("  {command:34} {:>7.2} µs → {:>7.2} µs  × {:.2}", took[0], took[1], took[1] / took[0]);
    }
}

/// Everything, or the parts that are named: `cargo bench --bench judge -- lengths`.
fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let parts: [(&str, fn()); 4] =
        [("everyday", everyday), ("lengths", lengths), ("policy_lines", policy_lines), ("rules", rules)];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            part();
        }
    }
}
