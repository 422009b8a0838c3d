//! The Windows shells as programs: what they get is read by [`windows`].

use super::super::entry::{Does, Entry};
use crate::classify::windows;

/// PowerShell and cmd.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "powershell", "powershell.exe", "pwsh", "pwsh.exe", "pwsh-preview", "PowerShell",
            "PowerShell.exe", "POWERSHELL.EXE", "Powershell.exe", "powershell_ise", "powershell_ise.exe",
        ],
        does: Does::Code(windows::judge_powershell_program),
        why: "runs PowerShell's text",
    },
    Entry {
        names: &["cmd", "cmd.exe", "CMD", "CMD.EXE", "Cmd.exe", "command.com"],
        does: Does::Code(windows::judge_cmd_program),
        why: "runs cmd's text",
    },
];
