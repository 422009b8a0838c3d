//! Which machine and which user a card comes from.

use countersign_ipc::account;
use countersign_proto::{request::Place, text::Foreign};

/// Host and user, for the card: from the kernel and the passwd file, never from the environment.
#[must_use]
pub fn place() -> Place {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "this machine",
        host => host,
    };
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let uid = account::uid();
    let user = name_in(&passwd, uid).map_or_else(|| format!("user {uid}"), str::to_owned);
    Place { host: Foreign::new(host), user: Foreign::new(user) }
}

/// The user's home folder by the passwd file or the name services; empty where neither knows one.
#[must_use]
pub fn home() -> String {
    let home = account::home_by_any_service(account::uid()).ok();
    home.map(|home| home.to_string_lossy().into_owned()).unwrap_or_default()
}

fn name_in(passwd: &str, uid: u32) -> Option<&str> {
    let uid = uid.to_string();
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then_some(name).filter(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_named_as_in_the_passwd_file() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nann:x:1000:1000::/home/ann:\n";
        assert_eq!(name_in(passwd, 1000), Some("ann"));
        assert_eq!(name_in(passwd, 7), None);
    }
}
