//! Who runs this process, and where that user's home is: from the kernel and the passwd file, never from `HOME`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PASSWD: &str = "/etc/passwd";
const GETENT: &str = "/usr/bin/getent";

/// A user without a known home.
#[derive(Debug, thiserror::Error)]
pub enum NoHome {
    /// The passwd file can't be read.
    #[error("`{PASSWD}` can't be read: {0}")]
    Passwd(#[from] std::io::Error),
    /// No line, or one without an absolute path.
    #[error(
        "`{PASSWD}` names no home folder for user id {0}; Countersign takes it from there, not from `HOME`"
    )]
    Unlisted(u32),
}

/// The real user id of this process.
#[must_use]
pub fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// A user's home by `/etc/passwd`.
///
/// # Errors
/// [`NoHome`], also for users that only a directory service knows.
pub fn home(uid: u32) -> Result<PathBuf, NoHome> {
    home_in(&std::fs::read(PASSWD)?, uid).ok_or(NoHome::Unlisted(uid))
}

/// A user's home by `/etc/passwd`, or else by the name services (LDAP and the like) through `getent`. It may be slow:
/// not for hooks.
///
/// # Errors
/// [`NoHome`].
pub fn home_by_any_service(uid: u32) -> Result<PathBuf, NoHome> {
    home(uid).or_else(|error| {
        let told = Command::new(GETENT)
            .args(["passwd", &uid.to_string()])
            .env_clear()
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        told.ok().and_then(|output| home_in(&output.stdout, uid)).ok_or(error)
    })
}

/// The home of the first line with this user id, if that is an absolute path.
fn home_in(passwd: &[u8], uid: u32) -> Option<PathBuf> {
    let uid = uid.to_string();
    let line = passwd.split(|b| *b == b'\n').find(|line| field(line, 2) == Some(uid.as_bytes()))?;
    let home = PathBuf::from(OsString::from_vec(field(line, 5)?.to_vec()));
    home.is_absolute().then_some(home)
}

fn field(line: &[u8], index: usize) -> Option<&[u8]> {
    line.split(|b| *b == b':').nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_that_of_the_first_line_with_the_user_id() {
        let passwd = b"root:x:0:0:root:/root:/bin/sh\n\nbroken\nann:x:1000:1000::/home/ann:\nbob:x:1000:1:x:/b:/bin/sh\n";
        assert_eq!(home_in(passwd, 1000), Some(PathBuf::from("/home/ann")));
        assert_eq!(home_in(passwd, 0), Some(PathBuf::from("/root")));
        assert_eq!(home_in(passwd, 100), None);
    }

    #[test]
    fn a_home_that_is_no_absolute_path_is_none() {
        assert_eq!(home_in(b"a:x:5:5::home/a:/bin/sh", 5), None);
        assert_eq!(home_in(b"a:x:5:5:::/bin/sh", 5), None);
        assert_eq!(home_in(b"a:x:5:5", 5), None);
    }

    #[test]
    fn an_unknown_user_is_told_where_the_home_comes_from() {
        let error = home(u32::MAX - 7).unwrap_err().to_string();
        assert!(error.contains("/etc/passwd") && error.contains("not from `HOME`"), "{error}");
    }
}
