//! Runs live scenarios one after the other, each with a bound, and says what became of them: a line a scenario,
//! a line an agent (`claude 2.1.332: 9 passed, 0 failed`), a line for all. Takes the arguments of a test binary.

use std::{
    env,
    future::Future,
    io::{self, Write},
    path::PathBuf,
    pin::Pin,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use tokio::{runtime, time::timeout};

use super::install;

/// The longest that one scenario may take.
const BOUND: Duration = Duration::from_secs(120);

/// An agent that scenarios drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
}

impl Agent {
    const ALL: [Self; 1] = [Self::Claude];

    fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::Claude => install::CLAUDE_VERSION,
        }
    }

    async fn install(self) -> Result<PathBuf> {
        match self {
            Self::Claude => install::claude(&install::agents_dir()).await,
        }
    }
}

/// What a scenario is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// The agent's program.
    pub program: Arc<PathBuf>,
}

/// A scenario at work.
pub type Running = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// One thing that must be true of a real agent; made by [`crate::scenarios!`].
pub struct Scenario {
    /// A sentence, as a test's name.
    pub name: &'static str,
    /// The agent it drives.
    pub agent: Agent,
    /// Starts it.
    pub run: fn(Given) -> Running,
}

/// A list of scenarios from `async fn(Given) -> anyhow::Result<()>` by name, for one agent.
#[macro_export]
macro_rules! scenarios {
    ($agent:expr; $($run:path),* $(,)?) => {
        vec![$($crate::live::runner::Scenario {
            name: stringify!($run),
            agent: $agent,
            run: |given| Box::pin($run(given)),
        }),*]
    };
}

/// Runs the scenarios that the arguments and `$AGENT` choose.
pub fn main(scenarios: Vec<Scenario>) -> ExitCode {
    let choice = Choice::parse(env::args().skip(1), env::var("AGENT").ok());
    match run(&scenarios, &choice, &mut io::stdout()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) | Err(_) => ExitCode::FAILURE,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Choice {
    only: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    list: bool,
    ignored_only: bool,
    agent: Option<String>,
}

impl Choice {
    /// `FILTER… --skip TEXT --exact --list --ignored`; other options of a test binary change nothing here.
    fn parse(mut arguments: impl Iterator<Item = String>, agent: Option<String>) -> Self {
        let mut choice = Self { agent: agent.filter(|name| !name.is_empty()), ..Self::default() };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--skip" => choice.skip.extend(arguments.next()),
                "--exact" => choice.exact = true,
                "--list" => choice.list = true,
                "--ignored" => choice.ignored_only = true,
                "--test-threads" | "--format" | "--color" | "--logfile" | "-Z" | "--shuffle-seed" => {
                    arguments.next();
                }
                option if option.starts_with('-') => {}
                filter => choice.only.push(filter.to_owned()),
            }
        }
        choice
    }

    fn takes(&self, scenario: &Scenario) -> bool {
        let matches = |text: &String| match self.exact {
            true => scenario.name == text,
            false => scenario.name.contains(text.as_str()),
        };
        // No scenario is marked as ignored.
        !self.ignored_only
            && self.agent.as_deref().is_none_or(|agent| agent == scenario.agent.name())
            && (self.only.is_empty() || self.only.iter().any(matches))
            && !self.skip.iter().any(matches)
    }
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
}

/// Returns how many failed.
fn run(scenarios: &[Scenario], choice: &Choice, out: &mut impl Write) -> Result<usize> {
    if let Some(agent) =
        choice.agent.as_deref().filter(|name| Agent::ALL.iter().all(|known| known.name() != *name))
    {
        writeln!(out, "there are no live scenarios for the agent `{agent}`")?;
        return Err(anyhow!("unknown agent"));
    }
    let chosen: Vec<&Scenario> = scenarios.iter().filter(|scenario| choice.takes(scenario)).collect();
    if choice.list {
        chosen.iter().try_for_each(|scenario| writeln!(out, "{}: test", scenario.name))?;
        return Ok(0);
    }
    let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut total = Tally::default();
    for agent in Agent::ALL {
        let of_agent: Vec<&Scenario> = chosen.iter().copied().filter(|one| one.agent == agent).collect();
        if of_agent.is_empty() {
            continue;
        }
        let tally = run_agent(&runtime, agent, &of_agent, out)?;
        let (name, version) = (agent.name(), agent.version());
        writeln!(out, "{name} {version}: {} passed, {} failed", tally.passed, tally.failed)?;
        total.passed += tally.passed;
        total.failed += tally.failed;
    }
    // With one agent asked for, its own line says the same and stays the last.
    if choice.agent.is_none() {
        writeln!(out, "{} passed, {} failed", total.passed, total.failed)?;
    }
    Ok(total.failed)
}

fn run_agent(
    runtime: &runtime::Runtime,
    agent: Agent,
    scenarios: &[&Scenario],
    out: &mut impl Write,
) -> Result<Tally> {
    let (name, version) = (agent.name(), agent.version());
    writeln!(out, "{name} {version} in {} (fetched with npm if missing)", install::agents_dir().display())?;
    let program = match runtime.block_on(agent.install()) {
        Ok(program) => Arc::new(program),
        Err(error) => {
            writeln!(out, "{name} {version} cannot be driven: {error:#}")?;
            return Ok(Tally { passed: 0, failed: scenarios.len() });
        }
    };
    let mut tally = Tally::default();
    for scenario in scenarios {
        let started = Instant::now();
        let outcome = runtime.block_on(bounded((scenario.run)(Given { program: program.clone() })));
        let seconds = started.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => {
                tally.passed += 1;
                writeln!(out, "ok {} ({seconds:.1} s)", scenario.name)?;
            }
            Err(error) => {
                tally.failed += 1;
                writeln!(out, "FAILED {} ({seconds:.1} s): {error:#}", scenario.name)?;
            }
        }
        out.flush()?;
    }
    Ok(tally)
}

/// In a task of its own, so that a scenario that panics is a failure of that scenario.
async fn bounded(scenario: Running) -> Result<()> {
    let task = tokio::spawn(scenario);
    let abort = task.abort_handle();
    match timeout(BOUND, task).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(panic)) => Err(anyhow!("the scenario stopped: {panic}")),
        Err(_) => {
            abort.abort();
            Err(anyhow!("the scenario took longer than {BOUND:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn good(_: Given) -> Result<()> {
        Ok(())
    }

    async fn bad(_: Given) -> Result<()> {
        Err(anyhow!("no"))
    }

    fn choice(arguments: &[&str], agent: Option<&str>) -> Choice {
        Choice::parse(arguments.iter().map(|text| (*text).to_owned()), agent.map(str::to_owned))
    }

    fn chosen(arguments: &[&str]) -> Vec<&'static str> {
        let choice = choice(arguments, None);
        let all = crate::scenarios![Agent::Claude; good, bad];
        all.iter().filter(|one| choice.takes(one)).map(|one| one.name).collect()
    }

    #[test]
    fn arguments_choose_as_they_do_in_any_test_binary() {
        assert_eq!(chosen(&[]), ["good", "bad"]);
        assert_eq!(chosen(&["oo"]), ["good"]);
        assert_eq!(chosen(&["--exact", "oo"]), [""; 0]);
        assert_eq!(chosen(&["--skip", "good", "--nocapture"]), ["bad"]);
        assert_eq!(chosen(&["--test-threads", "1"]), ["good", "bad"]);
        assert_eq!(chosen(&["--ignored"]), [""; 0]);
    }

    #[test]
    fn an_unknown_agent_is_an_error_and_not_an_empty_success() {
        let mut out = Vec::new();
        assert!(run(&[], &choice(&[], Some("nobody")), &mut out).is_err());
        assert!(String::from_utf8(out).unwrap().contains("`nobody`"));
    }

    #[test]
    fn a_list_names_scenarios_and_runs_none() {
        let mut out = Vec::new();
        let all = crate::scenarios![Agent::Claude; good, bad];
        assert_eq!(run(&all, &choice(&["--list"], None), &mut out).unwrap(), 0);
        assert_eq!(String::from_utf8(out).unwrap(), "good: test\nbad: test\n");
    }
}
