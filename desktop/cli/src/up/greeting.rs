//! What `up` says at its start.

use countersign_daemon::daemon::Ready;
use countersign_ipc::Instance;
use serde_json::{Value, json};

use crate::{
    setup::{self, Standing},
    trouble::command,
};

const BANNER: &str = "\
╔══════════════════════════════════════════════════════════════════════════════╗
║ DEMO: software keys count as a phone here, so this protects nothing.         ║
║ Only projects in a temporary folder are asked about. It ends with its phone. ║
╚══════════════════════════════════════════════════════════════════════════════╝
";

/// The first words.
pub(super) fn starting(is_demo: bool) -> String {
    format!("{}Starting …\n", if is_demo { BANNER } else { "" })
}

/// Once it takes calls: how it is, how to end it, and the next steps.
pub(super) fn running(instance: &Instance, ready: &Ready) -> String {
    let about = &ready.about;
    let mut text = format!(
        "Countersign {} is running. Ctrl-C ends it; what waits then goes back to the agents' terminals.\n  \
         sockets  {}\n  state    {}\n",
        env!("CARGO_PKG_VERSION"),
        about.sockets.display(),
        about.state.display()
    );
    if about.demo {
        text.push_str(&demo_steps(instance));
    } else {
        text.push_str(&next_steps(instance, ready.phones, setup::standing(instance)));
    }
    text
}

/// The same for programs.
pub(super) fn as_json(ready: &Ready) -> Value {
    let about = &ready.about;
    json!({
        "type": "ready",
        "version": env!("CARGO_PKG_VERSION"),
        "instance": about.instance,
        "demo": about.demo,
        "pid": std::process::id(),
        "run_id": about.run_id.to_string(),
        "sockets": about.sockets,
        "state": about.state,
        "phones": ready.phones,
    })
}

fn next_steps(instance: &Instance, phones: usize, claude: Standing) -> String {
    let mut text = "Next, in another terminal:\n".to_owned();
    let mut step = |what: &str, words: &str| {
        text.push_str(&format!("  {what:<26} {}\n", command(instance, words)));
    };
    match claude {
        Standing::Installed => {}
        Standing::Missing | Standing::Unknown => step("connect an agent", "setup claude"),
        Standing::Outdated => step("mend the agent's hooks", "setup claude"),
    }
    if phones == 0 {
        step("pair a phone", "pair");
    }
    step("answer at this desktop", "watch");
    step("see what is well or not", "doctor");
    text
}

fn demo_steps(instance: &Instance) -> String {
    format!(
        "Next, in another terminal:\n  answer as a demo phone     countersign-demo-phone pair TICKET (the text \
         below)\n  answer at this desktop     {}\n\n",
        command(instance, "watch")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_of_a_demo_says_that_it_protects_nothing() {
        assert!(starting(true).contains("DEMO") && starting(true).contains("protects nothing"));
        assert!(!starting(false).contains("DEMO"));
        let widths: Vec<usize> = BANNER.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == 80), "{widths:?}");
    }

    #[test]
    fn only_steps_that_are_still_to_be_done_are_named() {
        let fresh = next_steps(&Instance::MAIN, 0, Standing::Missing);
        assert!(fresh.contains("countersign setup claude") && fresh.contains("countersign pair"), "{fresh}");
        let done = next_steps(&Instance::MAIN, 1, Standing::Installed);
        assert!(!done.contains("setup") && !done.contains("pair"), "{done}");
        assert!(done.contains("countersign watch"), "{done}");
    }
}
