//! Claude Code's permission modes: where it runs a call that nobody said anything about, and what `setup`, `doctor` and
//! a session's card say of each.

/// How a person gets to the mode that asks.
macro_rules! how_to_switch {
    () => {
        "To be asked about everything that Claude Code does not allow by itself, press Shift+Tab in a running session \
         until it says manual mode (or use /permissions), and write `\"permissions\": {\"defaultMode\": \"default\"}` in \
         ~/.claude/settings.json for new ones."
    };
}

/// What Countersign does where Claude Code runs calls without asking.
macro_rules! what_we_stop {
    () => {
        "There Countersign refuses what is refused everywhere and asks about what destroys, spends, or changes settings \
         of agents; everything else runs without a card, and so does all of it while the daemon is not running. "
    };
}

/// What everybody who is asked should know of runs without a terminal; measured with 2.1.332.
pub const PRINT_MODE: &str = "In `claude -p` nobody can be asked once a hook wants a question: what Countersign would \
                              ask about is denied there.";

/// Whether Claude Code, told nothing, may run a call of a session in this mode without asking anybody. A mode that this
/// adapter does not know may (WHO-4).
#[must_use]
pub(super) fn silence_runs(mode: &str) -> bool {
    !matches!(mode, "default" | "manual" | "dontAsk")
}

/// What is said of a permission mode; `None` for the mode that asks. Without a word in its settings a fresh Claude Code
/// starts in automatic mode (WHO-5).
#[must_use]
pub fn mode_advice(mode: Option<&str>) -> Option<&'static str> {
    match mode {
        Some("default" | "manual") => None,
        None => Some(concat!(
            "Claude Code starts in automatic mode unless told otherwise: it runs most calls without asking. ",
            what_we_stop!(),
            how_to_switch!()
        )),
        Some("auto") => Some(concat!(
            "In automatic mode Claude Code runs most calls without asking. ",
            what_we_stop!(),
            how_to_switch!()
        )),
        Some("acceptEdits") => Some(concat!(
            "In accept-edits mode Claude Code changes and deletes files of the project without asking. ",
            what_we_stop!(),
            how_to_switch!()
        )),
        Some("plan") => Some(concat!(
            "In plan mode Claude Code asks about its plan in the terminal only. ",
            what_we_stop!(),
            how_to_switch!()
        )),
        Some("bypassPermissions") => Some(concat!(
            "With permissions bypassed Claude Code runs everything without asking. ",
            what_we_stop!(),
            how_to_switch!()
        )),
        Some("dontAsk") => Some(concat!(
            "In don't-ask mode Claude Code refuses by itself what it would have asked about; a card comes only for what \
             Countersign asks about. ",
            how_to_switch!()
        )),
        Some(_) => Some(concat!(
            "Countersign does not know the permission mode that is set here, so Claude Code may run calls without \
             asking. ",
            what_we_stop!(),
            how_to_switch!()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHERS: [Option<&str>; 7] = [
        None,
        Some("auto"),
        Some("acceptEdits"),
        Some("plan"),
        Some("bypassPermissions"),
        Some("dontAsk"),
        Some("?"),
    ];

    #[test]
    fn every_mode_but_the_asking_one_says_how_to_switch() {
        assert_eq!(mode_advice(Some("default")), None);
        assert_eq!(mode_advice(Some("manual")), None);
        for mode in OTHERS {
            let advice = mode_advice(mode).unwrap();
            assert!(
                advice.contains("Shift+Tab") && advice.contains("\"defaultMode\": \"default\""),
                "{advice}"
            );
        }
    }

    #[test]
    fn a_mode_in_which_silence_runs_a_call_says_so() {
        for mode in OTHERS.into_iter().flatten() {
            let says_so = mode_advice(Some(mode)).unwrap().contains("while the daemon is not running");
            assert_eq!(silence_runs(mode), says_so, "{mode}");
        }
        assert!(silence_runs("") && !silence_runs("default") && !silence_runs("manual"));
    }
}
