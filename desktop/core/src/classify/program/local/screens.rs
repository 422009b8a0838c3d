//! Editors, pagers and other programs that take over the terminal. What they do then can't be told; options that make
//! them run something at once are red.

use super::{READ_NEVER, READ_ODD, RUNS_OTHER};
use crate::classify::{
    finding::Finding,
    program::{
        entry::{Does, Entry, NO_OPTIONS, Options, RUNS_CODE, UNKNOWN},
        walk::{Looks, operands},
    },
    scene::Scene,
    word::Command,
};

#[rustfmt::skip]
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "vim", "vi", "nvim", "view", "gvim", "rvim", "ex", "rview", "vim.tiny", "vim.basic", "neovide",
            "mvim",
        ],
        does: Does::Code(vim),
        why: "an editor; -c, -S, -s and + run its commands, which start programs",
    },
    Entry {
        names: &["emacsclient", "xemacs", "zile", "mg"],
        does: Does::Code(emacs),
        why: "an editor that runs Lisp",
    },
    Entry {
        names: &[
            "ed", "red", "nano", "pico", "micro", "hx", "helix", "joe", "jed", "ne", "mcedit", "kak",
            "kate", "gedit", "nedit", "subl", "mate", "zed", "atom", "pluma", "xed", "mousepad", "leafpad",
            "dte", "tilde",
        ],
        does: Does::Always(UNKNOWN.because("Opens an editor.")),
        why: "editors",
    },
    Entry {
        names: &["less", "zless", "bzless", "xzless", "lessecho"],
        does: Does::Code(less),
        why: "a pager; + and several options run commands or write files",
    },
    Entry {
        names: &["more", "most", "pg", "zmore", "bzmore", "xzmore", "moar", "ov"],
        does: Does::Code(more),
        why: "pagers",
    },
    Entry {
        names: &["man", "apropos", "whatis"],
        does: Does::Code(man),
        why: "shows manuals; -H, -P and others start programs",
    },
    Entry { names: &["info", "pinfo"], does: Does::Code(man), why: "shows manuals" },
    Entry {
        names: &[
            "iotop", "nvtop", "ncdu", "ranger", "nnn", "lf", "vifm", "tig", "lazygit", "gitui", "fzf", "sk",
            "peco", "dialog", "whiptail", "zenity", "yad", "gum",
        ],
        does: Does::Always(UNKNOWN.because("Takes over the terminal.")),
        why: "interactive; what they do then can't be told",
    },
];

fn vim(command: &Command, _: &Scene<'_>) -> Finding {
    let has_plus = command.arguments().iter().any(|word| word.text.starts_with('+') || !word.is_known);
    let looks = Looks::of(command.arguments());
    if has_plus
        || looks.has(
            "cSsuUwWiVTrx",
            &["cmd", "startuptime", "servername", "remote", "embed", "listen", "server", "clean-cmd"],
        )
    {
        return RUNS_OTHER.finding();
    }
    if looks.has("eE", &[]) || command.name() == "ex" {
        return RUNS_OTHER.finding();
    }
    UNKNOWN.because("Opens an editor.").finding()
}

fn emacs(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let is_code = looks.options.iter().any(|option| {
        [
            "-eval", "-e", "-f", "-l", "-load", "-script", "-batch", "-x", "-execute", "-funcall", "-insert",
            "-kill",
        ]
        .iter()
        .any(|known| option.trim_start_matches('-').starts_with(known.trim_start_matches('-')))
    });
    if is_code {
        let mut finding = RUNS_CODE.finding();
        finding.worsen(RUNS_OTHER.finding());
        return finding;
    }
    UNKNOWN.because("Opens an editor.").finding()
}

fn less(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const LESS: Options = Options {
        letters: "aABcCdeEfFgGiIJKmMnNqQrRsSuUwWX",
        valued: "bhjpPxyz",
        long: &[
            "RAW-CONTROL-CHARS", "chop-long-lines", "quit-if-one-screen", "no-init", "LINE-NUMBERS", "help",
            "version",
        ],
        ..NO_OPTIONS
    };
    match operands(&[&LESS], command.arguments()) {
        Some(found) if !found.iter().any(|word| word.text.starts_with('+') || !word.is_known) => {
            READ_NEVER.finding()
        }
        Some(_) | None => RUNS_OTHER.finding(),
    }
}

fn more(command: &Command, _: &Scene<'_>) -> Finding {
    let is_plain = command.arguments().iter().all(|word| word.is_known && !word.text.starts_with(['+', '-']));
    if is_plain { READ_NEVER.finding() } else { READ_ODD.finding() }
}

fn man(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "html", "pager", "preprocessor", "gxditview", "troff-device", "ditroff", "config-file",
        "local-file", "output", "init-file", "dribble", "restore", "manpath", "where-cmd",
    ];
    if looks.has("HPpXTtClMoB", STARTS) {
        return RUNS_OTHER.finding();
    }
    READ_NEVER.finding()
}
