//! What a program's name starts, and whether the user could have put it there (REQ-5).

use std::{
    fs::Metadata,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
};

use countersign_core::classify::Program;
use rustix::fs::{Access, access};

use super::{Sight, trail};

/// Temporary folders of every system.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// A user and the groups it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user id.
    pub id: u32,
    /// All its groups.
    pub groups: Vec<u32>,
}

impl User {
    /// The one that this process runs as.
    #[must_use]
    pub fn own() -> Self {
        let more = rustix::process::getgroups().unwrap_or_default();
        let groups =
            more.into_iter().chain([rustix::process::getegid()]).map(|group| group.as_raw()).collect();
        Self { id: rustix::process::geteuid().as_raw(), groups }
    }

    const fn is_root(&self) -> bool {
        self.id == 0
    }

    /// Whether it may start a file. Root may start what anybody may.
    fn may_start(&self, file: &Metadata) -> bool {
        let mode = file.permissions().mode();
        let bits = match file {
            _ if self.is_root() => 0o111,
            _ if file.uid() == self.id => 0o100,
            _ if self.groups.contains(&file.gid()) => 0o010,
            _ => 0o001,
        };
        mode & bits != 0
    }

    /// Whether it can change a file or folder, or take the right to. For root, who can change everything: whether another
    /// user can.
    fn can_write(&self, path: &str, found: &Metadata) -> bool {
        let mode = found.permissions().mode();
        if self.is_root() {
            return found.uid() != 0 || mode & 0o022 != 0;
        }
        let by_mode = found.uid() == self.id
            || mode & 0o002 != 0
            || (mode & 0o020 != 0 && self.groups.contains(&found.gid()));
        // Access lists are beyond the mode; the kernel knows them, for the user that asks it.
        let is_asking = self.id == rustix::process::geteuid().as_raw();
        by_mode || (is_asking && access(path, Access::WRITE_OK).is_ok())
    }
}

/// What a name in command position starts.
pub(super) fn find(sight: &Sight, name: &str, folder: &str) -> Program {
    if name.is_empty() || name.contains('\0') {
        return Program::Unknown;
    }
    if name.starts_with('/') {
        return at(sight, name).unwrap_or(Program::Missing);
    }
    if name.contains('/') {
        let path = format!("{folder}/{name}");
        return if folder.starts_with('/') {
            at(sight, &path).unwrap_or(Program::Missing)
        } else {
            Program::Unknown
        };
    }
    let Some(path) = &sight.path else { return Program::Unknown };
    for entry in path.split(':') {
        // An empty or relative entry means whatever folder the command runs in.
        if !entry.starts_with('/') {
            return Program::Unknown;
        }
        if let Some(found) = at(sight, &format!("{entry}/{name}")) {
            return found;
        }
    }
    Program::Missing
}

/// What starts by a path; `None` where a shell would look further.
fn at(sight: &Sight, path: &str) -> Option<Program> {
    let Ok(trail) = trail::follow(path) else { return Some(Program::Unknown) };
    let file = trail.found.filter(|found| found.is_file() && sight.user.may_start(found))?;
    let is_own = |path: &str| sight.user.is_root() && sight.is_own_place(path);
    let can_write = sight.user.can_write(&trail.end, &file)
        || trail.folders.iter().any(|(path, folder)| sight.user.can_write(path, folder))
        || is_own(path)
        || is_own(&trail.end);
    Some(if can_write { Program::Writable(trail.end) } else { Program::Trusted(trail.end) })
}

impl Sight {
    /// Whether a path lies where agents and their user put files: the home, the project, temporary folders.
    fn is_own_place(&self, path: &str) -> bool {
        let own = [Some(self.home.as_str()), Some(&self.worktree), self.temporary.as_deref()];
        own.into_iter().flatten().chain(TEMPORARY).any(|folder| is_in(path, folder))
    }
}

fn is_in(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    !folder.is_empty()
        && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{chown, symlink},
    };

    use super::*;

    /// Some user that owns nothing of the system.
    const ADA: u32 = 4_211;

    /// Two folders on the PATH: `own`, which everybody can write, and `system`, which the user can't.
    struct Stage {
        _tmp: tempfile::TempDir,
        at: String,
        sight: Sight,
    }

    fn is_root() -> bool {
        rustix::process::geteuid().is_root()
    }

    impl Stage {
        fn new(user: u32) -> Self {
            // Not below a temporary folder, which everybody can write.
            let base = if is_root() { "/opt".into() } else { std::env::home_dir().unwrap() };
            let tmp = tempfile::Builder::new().prefix("sight-").tempdir_in(base).unwrap();
            let at = tmp.path().canonicalize().unwrap().to_str().unwrap().to_owned();
            fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
            for folder in ["system", "own", "site"] {
                fs::create_dir(format!("{at}/{folder}")).unwrap();
                let mode = if folder == "own" { 0o777 } else { 0o755 };
                fs::set_permissions(format!("{at}/{folder}"), fs::Permissions::from_mode(mode)).unwrap();
            }
            let sight = Sight {
                path: Some(format!("{at}/own:{at}/system")),
                home: format!("{at}/own"),
                worktree: format!("{at}/site"),
                temporary: None,
                user: User { id: user, groups: vec![user] },
            };
            Self { _tmp: tmp, at, sight }
        }

        fn put(&self, path: &str, mode: u32) -> String {
            let path = format!("{}/{path}", self.at);
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn find(&self, name: &str) -> Program {
            find(&self.sight, name, &self.sight.worktree)
        }
    }

    #[test]
    fn a_systems_program_is_trusted_and_the_first_on_the_path_counts() {
        let stage = Stage::new(ADA);
        let system = stage.put("system/tool", 0o755);
        assert_eq!(stage.find("tool"), Program::Trusted(system.clone()));
        assert_eq!(stage.find(&system), Program::Trusted(system));
        assert_eq!(stage.find("nothing"), Program::Missing);
        let own = stage.put("own/tool", 0o755);
        assert_eq!(stage.find("tool"), Program::Writable(own));
    }

    #[test]
    fn whoever_could_change_any_part_of_the_way_could_change_the_program() {
        let stage = Stage::new(ADA);
        let real = stage.put("system/real", 0o755);
        symlink(&real, format!("{}/own/by-link", stage.at)).unwrap();
        assert_eq!(
            stage.find("by-link"),
            Program::Writable(real.clone()),
            "the link lies in a folder of the user"
        );
        let owned = stage.put("own/owned", 0o755);
        symlink(&owned, format!("{}/system/out", stage.at)).unwrap();
        assert_eq!(stage.find("out"), Program::Writable(owned));
        symlink("real", format!("{}/system/alias", stage.at)).unwrap();
        assert_eq!(stage.find("alias"), Program::Trusted(real.clone()));
        fs::set_permissions(&real, fs::Permissions::from_mode(0o757)).unwrap();
        assert_eq!(stage.find("real"), Program::Writable(real.clone()));
        fs::set_permissions(&real, fs::Permissions::from_mode(0o775)).unwrap();
        assert_eq!(stage.find("real"), Program::Trusted(real.clone()), "of a group the user is not in");
        fs::set_permissions(format!("{}/system", stage.at), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(stage.find("real"), Program::Writable(real));
    }

    /// Only root can give files away.
    #[test]
    fn an_owner_and_its_group_could_change_a_program() {
        if !is_root() {
            return;
        }
        let stage = Stage::new(ADA);
        let tool = stage.put("system/tool", 0o775);
        chown(&tool, None, Some(ADA)).unwrap();
        assert_eq!(stage.find("tool"), Program::Writable(tool.clone()), "of a group the user is in");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o555)).unwrap();
        assert_eq!(stage.find("tool"), Program::Trusted(tool.clone()));
        chown(&tool, Some(ADA), Some(0)).unwrap();
        assert_eq!(stage.find("tool"), Program::Writable(tool), "an owner can take the right to write");
    }

    #[test]
    fn a_shell_passes_over_what_the_user_can_t_start() {
        let stage = Stage::new(ADA);
        stage.put("own/tool", 0o644);
        fs::create_dir(format!("{}/own/folder", stage.at)).unwrap();
        let system = stage.put("system/tool", 0o755);
        let folder = stage.put("system/folder", 0o755);
        assert_eq!(stage.find("tool"), Program::Trusted(system.clone()));
        assert_eq!(stage.find("folder"), Program::Trusted(folder));
        fs::set_permissions(&system, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(stage.find("tool"), Program::Missing, "it is root's alone");
    }

    #[test]
    fn for_root_a_program_of_the_home_the_project_or_a_temporary_folder_is_its_own() {
        if !is_root() {
            return;
        }
        let mut stage = Stage::new(0);
        fs::set_permissions(format!("{}/own", stage.at), fs::Permissions::from_mode(0o755)).unwrap();
        let own = stage.put("own/tool", 0o755);
        let site = stage.put("site/tool", 0o755);
        let system = stage.put("system/other", 0o755);
        assert_eq!(stage.find("tool"), Program::Writable(own));
        assert_eq!(stage.find("./tool"), Program::Writable(site.clone()));
        assert_eq!(stage.find("../site/tool"), Program::Writable(site));
        assert_eq!(stage.find("other"), Program::Trusted(system.clone()));
        symlink(&system, format!("{}/site/link", stage.at)).unwrap();
        assert_eq!(stage.find("./link"), Program::Writable(system.clone()));
        stage.sight.temporary = Some(format!("{}/system", stage.at));
        assert_eq!(stage.find("other"), Program::Writable(system));
    }

    #[test]
    fn an_entry_that_means_the_current_folder_leaves_the_rest_unknown() {
        let mut stage = Stage::new(ADA);
        for path in ["", ":/usr/bin", ".:/usr/bin", "bin:/usr/bin", "/nowhere::/usr/bin", "/nowhere:~/bin"] {
            stage.sight.path = Some(path.to_owned());
            assert_eq!(stage.find("sh"), Program::Unknown, "{path}");
        }
        stage.sight.path = None;
        assert_eq!(stage.find("sh"), Program::Unknown);
        assert_eq!(find(&stage.sight, "./sh", "site"), Program::Unknown);
        assert_eq!(stage.find(""), Program::Unknown);
        assert_eq!(stage.find("a\0b"), Program::Unknown);
    }

    #[test]
    fn the_users_own_program_is_never_trusted() {
        let own = User::own();
        let stage = Stage::new(own.id);
        let site = stage.put("site/run.sh", 0o755);
        assert_eq!(stage.find("./run.sh"), Program::Writable(site));
        assert_eq!(stage.find("./missing"), Program::Missing);
        symlink("loop", format!("{}/site/loop", stage.at)).unwrap();
        assert_eq!(stage.find("./loop"), Program::Unknown);
    }
}
