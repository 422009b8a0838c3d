//! Where an instance's sockets and state are. Both follow from the user id and the instance's name alone; HOME and
//! the XDG variables are left unread on purpose, so that an agent's environment can't point a hook at another daemon.

use std::path::{Path, PathBuf};

use crate::{account, instance::Instance};

pub use crate::account::NoHome;

/// The hooks' socket in the socket folder.
pub const HOOK_SOCKET: &str = "hook.sock";
/// The control socket in the socket folder.
pub const CONTROL_SOCKET: &str = "control.sock";

/// The folder of an instance's sockets: `/run/user/UID/countersign[-NAME]`, or `run` in its state folder where
/// `/run/user/UID` is missing.
///
/// # Errors
/// [`NoHome`] where the home is needed and `/etc/passwd` doesn't tell it.
pub fn sockets(instance: &Instance) -> Result<PathBuf, NoHome> {
    let uid = account::uid();
    let run_user = run_user(uid);
    if run_user.is_dir() {
        return Ok(sockets_under(&run_user, instance));
    }
    Ok(sockets_at_home(&account::home(uid)?, instance))
}

/// The hooks' socket of an instance.
///
/// # Errors
/// As [`sockets`].
pub fn hook_socket(instance: &Instance) -> Result<PathBuf, NoHome> {
    Ok(sockets(instance)?.join(HOOK_SOCKET))
}

/// The control socket of an instance.
///
/// # Errors
/// As [`sockets`].
pub fn control_socket(instance: &Instance) -> Result<PathBuf, NoHome> {
    Ok(sockets(instance)?.join(CONTROL_SOCKET))
}

/// The folder of an instance's lasting state: `.local/state/countersign[-NAME]` under the passwd home.
///
/// # Errors
/// [`NoHome`].
pub fn state(instance: &Instance) -> Result<PathBuf, NoHome> {
    Ok(state_at_home(&account::home_by_any_service(account::uid())?, instance))
}

/// Where login managers keep a user's runtime files.
#[must_use]
pub fn run_user(uid: u32) -> PathBuf {
    PathBuf::from(format!("/run/user/{uid}"))
}

/// The socket folder below a user's runtime folder.
#[must_use]
pub fn sockets_under(run_user: &Path, instance: &Instance) -> PathBuf {
    run_user.join(instance.folder())
}

/// The socket folder below a home.
#[must_use]
pub fn sockets_at_home(home: &Path, instance: &Instance) -> PathBuf {
    state_at_home(home, instance).join("run")
}

/// The state folder below a home.
#[must_use]
pub fn state_at_home(home: &Path, instance: &Instance) -> PathBuf {
    home.join(".local/state").join(instance.folder())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_instance_lies_beside_the_everyday_one() {
        let demo: Instance = "demo".parse().unwrap();
        let run_user = run_user(1000);
        assert_eq!(sockets_under(&run_user, &Instance::MAIN), Path::new("/run/user/1000/countersign"));
        assert_eq!(sockets_under(&run_user, &demo), Path::new("/run/user/1000/countersign-demo"));
        let home = Path::new("/home/ann");
        assert_eq!(
            sockets_at_home(home, &Instance::MAIN),
            Path::new("/home/ann/.local/state/countersign/run")
        );
        assert_eq!(sockets_at_home(home, &demo), Path::new("/home/ann/.local/state/countersign-demo/run"));
        assert_eq!(state_at_home(home, &demo), Path::new("/home/ann/.local/state/countersign-demo"));
    }
}
