//! Patches that name their files themselves: the `*** Begin Patch` envelope. What is no such envelope, or only partly one,
//! still gives every file that it seems to name, and an unclear use.

use countersign_core::classify::{FileHow, FileUse};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const MOVE: &str = "*** Move to:";

/// What the lines after a file's header may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// No file yet.
    None,
    /// A new file's lines.
    Add,
    /// Nothing.
    Delete,
    /// Hunks; `true` where the file's new name may still come.
    Update(bool),
}

/// The files that a patch changes. Never empty.
pub(super) fn files(text: &str) -> Vec<FileUse> {
    let lines: Vec<&str> = unwrapped(text).lines().map(|line| line.trim_end_matches('\r')).collect();
    let (uses, is_clear) = match lines.as_slice() {
        [begin, body @ .., end] if begin.trim() == BEGIN && end.trim() == END => read(body),
        rest => (read(rest).0, false),
    };
    if is_clear && !uses.is_empty() {
        return uses;
    }
    let seeming = lines.iter().filter_map(|line| seeming(line)).map(unclear);
    let mut all: Vec<FileUse> = uses.into_iter().chain(seeming).collect();
    all.push(unclear(""));
    all
}

/// A patch that a script hands to `apply_patch`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InScript {
    /// The script does nothing else.
    Alone(Vec<FileUse>),
    /// It may do more; these are the paths that the patch names.
    Among(Vec<String>),
}

/// Looks for a patch in a script: agents that patch by themselves do so too where a script does nothing but
/// `apply_patch <<'EOF'`, perhaps after one `cd`.
pub(super) fn in_script(script: &str) -> Option<InScript> {
    if !script.contains(BEGIN) {
        return None;
    }
    if let Some((folder, patch)) = alone(script.trim()) {
        return Some(InScript::Alone(below(folder, files(patch))));
    }
    let named =
        script.lines().filter_map(seeming).map(|path| path.split_once(": ").map_or(path, |(_, path)| path));
    Some(InScript::Among(named.map(str::to_owned).collect()))
}

/// The folder and the patch of a script that does nothing but patch.
fn alone(script: &str) -> Option<(Option<&str>, &str)> {
    let (folder, rest) = match script.strip_prefix("cd ") {
        Some(rest) => {
            let (folder, rest) = rest.split_once("&&")?;
            (Some(folder.trim()), rest.trim_start())
        }
        None => (None, script),
    };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if folder
        .is_some_and(|folder| folder.is_empty() || folder.starts_with('-') || !folder.chars().all(is_plain))
    {
        return None;
    }
    let rest = ["apply_patch", "applypatch"].iter().find_map(|name| rest.strip_prefix(*name))?;
    let (mark, body) = rest.trim_start_matches(' ').strip_prefix("<<")?.split_once('\n')?;
    let mark = mark.trim();
    let unquoted = ['\'', '"'].iter().find_map(|quote| mark.strip_prefix(*quote)?.strip_suffix(*quote));
    let end = unquoted.filter(|mark| !mark.is_empty() && mark.chars().all(char::is_alphanumeric))?;
    let (patch, last) = body.rsplit_once('\n')?;
    // The first line that is the mark ends the patch; what follows would be commands.
    let is_last = last == end && !patch.lines().any(|line| line == end);
    is_last.then_some((folder, patch))
}

/// A patch's files, where it is applied in a folder of its own.
pub(super) fn below(folder: Option<&str>, mut files: Vec<FileUse>) -> Vec<FileUse> {
    let Some(folder) = folder else { return files };
    let within = |path: &mut String| {
        if !path.starts_with('/') && !path.is_empty() {
            *path = format!("{}/{path}", folder.trim_end_matches('/'));
        }
    };
    for file in &mut files {
        within(&mut file.path);
        if let FileHow::Move(to) = &mut file.how {
            within(to);
        }
    }
    files
}

/// Without the blank lines and the here-document marks that models wrap around a patch.
fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    let mark = ["<<'EOF'", "<<\"EOF\"", "<<EOF"].iter().find_map(|mark| text.strip_prefix(*mark));
    mark.and_then(|rest| rest.trim_end().strip_suffix("EOF")).map_or(text, str::trim)
}

fn read(lines: &[&str]) -> (Vec<FileUse>, bool) {
    let mut uses: Vec<FileUse> = Vec::new();
    let (mut section, mut is_clear) = (Section::None, true);
    for line in lines {
        // Blanks in front of a header are trimmed by the agents, so what may be a header is taken for one.
        let trimmed = line.trim_start();
        if let Some((path, how, next)) = header(trimmed) {
            is_clear &= !path.is_empty() && trimmed.len() == line.len();
            uses.push(FileUse { path: path.to_owned(), how });
            section = next;
            continue;
        }
        match (trimmed.strip_prefix(MOVE), section, uses.last_mut()) {
            (Some(to), Section::Update(true), Some(last)) if !to.trim().is_empty() => {
                last.how = FileHow::Move(to.trim().to_owned());
                section = Section::Update(false);
            }
            (Some(to), _, _) => {
                uses.push(unclear(to.trim()));
                is_clear = false;
            }
            (None, _, _) => {
                is_clear &= belongs(line, section);
                if matches!(section, Section::Update(_)) {
                    section = Section::Update(false);
                }
            }
        }
    }
    (uses, is_clear)
}

/// A file's header: its path, what happens to it, and what may follow.
fn header(line: &str) -> Option<(&str, FileHow, Section)> {
    const HEADERS: [(&str, FileHow, Section); 3] = [
        ("*** Add File:", FileHow::Write, Section::Add),
        ("*** Delete File:", FileHow::Delete, Section::Delete),
        ("*** Update File:", FileHow::Write, Section::Update(true)),
    ];
    HEADERS.into_iter().find_map(|(mark, how, next)| Some((line.strip_prefix(mark)?.trim(), how, next)))
}

/// Whether a line that is no header may stand here.
fn belongs(line: &str, section: Section) -> bool {
    match section {
        Section::None | Section::Delete => line.trim().is_empty(),
        Section::Add => line.starts_with('+') || line.trim().is_empty(),
        Section::Update(_) => {
            line.is_empty()
                || line.starts_with([' ', '+', '-'])
                || line.starts_with("@@")
                || line.trim() == "*** End of File"
        }
    }
}

/// A path that a line of another kind of patch seems to name.
fn seeming(line: &str) -> Option<&str> {
    const MARKS: [&str; 8] =
        ["--- ", "+++ ", "rename from ", "rename to ", "copy to ", "Index: ", "diff --git ", "*** "];
    let rest = MARKS.iter().find_map(|mark| line.trim_start().strip_prefix(*mark))?;
    let path = rest.split('\t').next().unwrap_or(rest).trim();
    let path = ["a/", "b/"].iter().find_map(|side| path.strip_prefix(*side)).unwrap_or(path);
    let is_path = !path.is_empty() && path != "Begin Patch" && path != "End Patch" && path != "End of File";
    is_path.then_some(path)
}

fn unclear(path: &str) -> FileUse {
    FileUse { path: path.to_owned(), how: FileHow::Unclear }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uses(text: &str) -> Vec<(String, FileHow)> {
        files(text).into_iter().map(|one| (one.path, one.how)).collect()
    }

    fn at(path: &str, how: FileHow) -> (String, FileHow) {
        (path.to_owned(), how)
    }

    #[test]
    fn each_file_of_an_envelope_is_one_use() {
        let patch = "*** Begin Patch\n*** Add File: src/x.rs\n+fn x() {}\n*** Update File: a.rs\n*** Move to: ../b.rs\n@@ fn\n \
                     a\n-b\n+c\n*** End of File\n*** Delete File: /etc/old name\n*** End Patch\n";
        let expected = [
            at("src/x.rs", FileHow::Write),
            at("a.rs", FileHow::Move("../b.rs".into())),
            at("/etc/old name", FileHow::Delete),
        ];
        assert_eq!(uses(patch), expected);
        assert_eq!(uses(&patch.replace('\n', "\r\n")), expected);
        assert_eq!(uses(&format!("<<'EOF'\n{patch}EOF\n")), expected);
    }

    #[test]
    fn lines_of_a_file_that_look_like_headers_stay_lines() {
        let patch = "*** Begin Patch\n*** Update File: a.md\n@@\n-*** Delete File: b\n+*** Add File: c\n*** End Patch";
        assert_eq!(uses(patch), [at("a.md", FileHow::Write)]);
    }

    #[test]
    fn what_is_no_envelope_is_unclear_and_keeps_the_files_it_names() {
        assert_eq!(uses("this is no patch"), [at("", FileHow::Unclear)]);
        assert_eq!(uses("*** Begin Patch\n*** End Patch"), [at("", FileHow::Unclear)]);
        assert_eq!(uses(""), [at("", FileHow::Unclear)]);
        for (patch, named) in [
            ("*** Begin Patch\n*** Delete File: ../a\n", "../a"),
            ("*** Delete File: ../a\n*** End Patch", "../a"),
            ("*** Begin Patch\n*** Frob File: x\n*** Delete File: ../a\n*** End Patch", "../a"),
            ("*** Begin Patch\n *** Delete File: ../a\n*** End Patch", "../a"),
            ("*** Begin Patch\n*** Add File: a\n*** Move to: ../a\n*** End Patch", "../a"),
            ("*** Begin Patch\n*** Update File: a\n@@\n+x\n*** Move to: ../a\n*** End Patch", "../a"),
            (
                "*** Begin Patch\n*** Update File: a\n@@\nno mark\n*** Delete File: ../a\n*** End Patch",
                "../a",
            ),
            ("--- a/x\n+++ b/../a\n@@ -1 +1 @@\n-a\n+b", "../a"),
            ("diff --git a/x b/x\nrename to ../a", "../a"),
        ] {
            let uses = uses(patch);
            assert!(uses.iter().any(|(path, _)| path.contains(named)), "{patch:?}: {uses:?}");
            assert_eq!(uses.last(), Some(&at("", FileHow::Unclear)), "{patch:?}");
        }
    }

    #[test]
    fn a_header_without_a_path_is_unclear() {
        let uses = uses("*** Begin Patch\n*** Add File: \n+x\n*** End Patch");
        assert!(uses.contains(&at("", FileHow::Unclear)), "{uses:?}");
    }

    #[test]
    fn a_script_that_only_patches_is_its_patch() {
        let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: /c\n*** End Patch";
        let alone = |script: String| match in_script(&script) {
            Some(InScript::Alone(files)) => {
                files.into_iter().map(|one| (one.path, one.how)).collect::<Vec<_>>()
            }
            other => panic!("{script}: {other:?}"),
        };
        let plain = [at("a", FileHow::Move("b".into())), at("/c", FileHow::Delete)];
        assert_eq!(alone(format!("apply_patch <<'EOF'\n{patch}\nEOF\n")), plain);
        assert_eq!(alone(format!("applypatch <<\"P\"\n{patch}\nP")), plain);
        let below = [at("../d/a", FileHow::Move("../d/b".into())), at("/c", FileHow::Delete)];
        assert_eq!(alone(format!("cd ../d && apply_patch <<'EOF'\n{patch}\nEOF")), below);
    }

    #[test]
    fn a_script_that_may_do_more_names_the_paths_of_its_patch() {
        let patch = "*** Begin Patch\n*** Add File: ../a\n+x\n*** End Patch";
        for script in [
            format!("apply_patch <<'EOF'\n{patch}\nEOF\nrm -rf b"),
            format!("apply_patch <<'EOF'\n{patch}\nEOF\nrm x\nEOF"),
            format!("apply_patch <<EOF\n{patch}\nEOF"),
            format!("cd $D && apply_patch <<'EOF'\n{patch}\nEOF"),
            format!("cd - && apply_patch <<'EOF'\n{patch}\nEOF"),
            format!("make; apply_patch <<'EOF'\n{patch}\nEOF"),
            format!("apply_patch '{patch}'"),
        ] {
            let Some(InScript::Among(paths)) = in_script(&script) else { panic!("{script}") };
            assert!(paths.contains(&"../a".to_owned()), "{script}: {paths:?}");
        }
        assert_eq!(in_script("apply_patch < a.patch"), None);
    }

    proptest! {
        #[test]
        fn any_script_is_looked_through(text in any::<String>()) {
            in_script(&format!("{text}*** Begin Patch{text}"));
        }

        #[test]
        fn any_text_gives_a_use(text in any::<String>()) {
            prop_assert!(!files(&text).is_empty());
        }

        #[test]
        fn a_line_put_into_a_patch_hides_no_file(line in "[ +@*-]{0,4}[A-Za-z :/.]{0,20}", at in 0_usize..6) {
            let mut lines = vec!["*** Begin Patch", "*** Add File: new", "+a", "*** Delete File: /gone", "*** End Patch"];
            lines.insert(at.min(lines.len()), &line);
            let uses = files(&lines.join("\n"));
            prop_assert!(uses.iter().any(|one| one.path == "/gone" && one.how != FileHow::Read), "{uses:?}");
        }
    }
}
