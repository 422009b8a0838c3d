//! How long judgement takes: everyday commands, awkward ones, and long texts, whose time must grow with their length.

use std::hint::black_box;

use countersign_core::classify::{Action, Call, Program, Push, Real, Resolver, Script, Shell, classify};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

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

const EVERYDAY: &[&str] = &[
    "ls -la",
    "git status",
    "git diff --stat HEAD~1",
    "cargo test --workspace 2>&1 | tail -40",
    "grep -rn \"fn main\" src",
    "cat src/main.rs | head -50",
    "npm run build && npm run lint",
    "git add -A && git commit -m \"feat: add the inbox\"",
    "find . -name \"*.rs\" -not -path \"./target/*\" | wc -l",
    "rm -rf build",
];

const AWKWARD: &[&str] = &[
    "for f in src/*.rs; do rustfmt --check $f; done",
    "git commit -m \"$(cat <<'EOF'\nfix: parse empty body\n\nAdds a test.\nEOF\n)\"",
    "bash -c \"cd src && rm -rf gen\"",
    "env A=1 nice -n 5 timeout 30 bash -lc 'cargo test | tail -3'",
    "x=rm; $x -rf \"${BUILD:-build}\" > out.log 2>&1 &",
];

fn judge(text: &str) {
    let action = Action::Shell(Shell { script: Script::Bash(text.to_owned()), folder: None });
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action: &action,
        folder: "/home/u/proj",
        worktree: "/home/u/proj",
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    black_box(classify(&call, &Plain));
}

/// Each command by itself: the median over them is the p50 of everyday work, the slowest the p99.
fn commands(criterion: &mut Criterion) {
    for (kind, texts) in [("everyday", EVERYDAY), ("awkward", AWKWARD)] {
        let mut group = criterion.benchmark_group(kind);
        for text in texts {
            let name: String =
                text.chars().take(32).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            group.bench_function(name, |bencher| bencher.iter(|| judge(text)));
        }
        group.finish();
    }
}

/// Texts of doubled lengths: the throughput must stay level.
fn lengths(criterion: &mut Criterion) {
    let shapes = [
        ("simple", "ls -la src; "),
        ("words", "x "),
        ("expanded", "echo $x \"$(ls)\"; "),
        ("quoted", "'a' \"b\" "),
        ("wrapped", "env A=1 nice -n 5 "),
    ];
    for (shape, piece) in shapes {
        let mut group = criterion.benchmark_group(format!("length/{shape}"));
        group.sample_size(10);
        for kibibytes in [1, 4, 16, 60] {
            let text = piece.repeat(kibibytes * 1024 / piece.len());
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(kibibytes), &text, |bencher, text| {
                bencher.iter(|| judge(text));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, commands, lengths);
criterion_main!(benches);
