//! Names of commands that a word of look-alikes must never spell, in whatever language the text around it is.

const NAMES: [&str; 100] = [
    "ac", "apt", "ar", "as", "awk", "aws", "az", "bash", "bc", "cal", "cargo", "cat", "cc", "cd", "chmod",
    "chown", "cp", "cpio", "cpp", "csh", "curl", "cut", "dash", "dd", "df", "diff", "dig", "docker", "du",
    "echo", "env", "eval", "ex", "exec", "expr", "find", "fsck", "gcc", "gh", "git", "go", "gpg", "grep",
    "gzip", "head", "helm", "id", "ip", "java", "kill", "ksh", "ld", "less", "ln", "ls", "make", "mkdir",
    "mkfs", "more", "mv", "nc", "node", "npm", "npx", "od", "pax", "perl", "php", "pico", "ping", "pip",
    "pipx", "pnpm", "ps", "pwd", "python", "rcp", "rm", "rsync", "ruby", "scp", "sed", "sh", "sleep",
    "socat", "source", "spice", "ssh", "su", "sudo", "tar", "tee", "vi", "wget", "xargs", "xxd", "yarn",
    "yes", "zip", "zsh",
];

/// Whether a word is one of them, capitals aside.
pub(super) fn is_command(word: &str) -> bool {
    NAMES.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_so_that_each_is_found() {
        assert!(
            NAMES.iter().all(|name| is_command(name)),
            "{:?}",
            NAMES.iter().find(|name| !is_command(name))
        );
        assert!(!is_command("poca"));
    }
}
