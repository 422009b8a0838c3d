// What people write first: a list of dangerous words, each compared with the first word of every part of a command.
const DANGEROUS = new Set([
    "rm", "rmdir", "unlink", "shred", "dd", "mkfs", "fdisk", "parted", "mv", "truncate", "chmod", "chown", "sudo", "su",
    "doas", "kill", "killall", "pkill", "shutdown", "reboot", "halt", "poweroff", "curl", "wget", "ssh", "scp", "rsync", "nc",
    "ftp", "crontab", "systemctl", "service", "mount", "umount", "iptables", "passwd", "useradd", "userdel", "dropdb",
    "terraform", "kubectl", "docker", "helm", "aws", "gcloud", "az", "eval", "exec", "source",
]);
const DANGEROUS_GIT = new Set(["push", "reset", "clean", "rebase", "filter-branch", "checkout", "restore", "stash"]);

export function stops(command) {
    return command.split(/&&|\|\||[;|\n&]/).some((part) => {
        const [first, second] = part.trim().split(/\s+/);
        return DANGEROUS.has(first) || (first === "git" && DANGEROUS_GIT.has(second));
    });
}
