//! Draws a change of a file against what the file holds now. Where that can't be known, it says so and shows the whole
//! new content, or the whole replacement, instead of guessing.

use std::borrow::Cow;

use countersign_proto::{
    domain,
    request::{Block, Dependency, Diff},
};

use crate::{
    action::{Cell, How},
    call::{Call, FileSeen, Seen},
    diff::{self, Drawn},
    edit::{self, Edit},
    json::Json,
    path,
    view::{self, View},
};

/// What the file holds now.
enum Base<'a> {
    Absent,
    Text(&'a str),
    /// It can't be told; why, to follow "the file".
    Unknown(Cow<'a, str>),
}

/// A change and how sure it is.
struct Change {
    drawn: Drawn,
    is_new: bool,
    /// Why it isn't drawn against the whole file.
    doubt: Option<String>,
}

impl Change {
    fn sure(drawn: Drawn) -> Self {
        Self { drawn, is_new: false, doubt: None }
    }

    fn doubtful(drawn: Drawn, doubt: impl Into<String>) -> Self {
        Self { drawn, is_new: false, doubt: Some(doubt.into()) }
    }
}

/// Draws a change of the file at `path`.
pub(crate) fn draw(call: &Call, path: &str, how: &How, seen: &Seen) -> View {
    let resolved = call.resolved(path);
    let named = resolved.as_ref().map_or(Cow::Borrowed(path), |resolved| resolved.to_string_lossy());
    let found = resolved.as_ref().and_then(|resolved| seen.get(resolved));
    let change = match how {
        How::Write(content) => write(&base(found), content),
        How::Edit(edits) => edited(&base(found), edits),
        How::Cell { cell, what, source } => notebook(&base(found), cell.as_deref(), *what, source),
    };
    let block = Block::Diff(Diff {
        path: view::line(&named),
        is_new: change.is_new,
        added: change.drawn.added,
        removed: change.drawn.removed,
        lines: view::lines(&change.drawn.lines),
    });
    let mut view = View::new(&headline(path::named(&call.folder, &named), &change), vec![block]);
    view.depends = found
        .and_then(hashed)
        .map(|hash| Dependency { path: view::line(&named), hash })
        .into_iter()
        .collect();
    if let Some(doubt) = change.doubt {
        view.because(&doubt);
    }
    if resolved.is_none() {
        view.is_certain = false;
        view.because("it is not certain which file this path means");
    } else if named != path {
        view.because(&format!("the agent wrote the path as `{path}`"));
    }
    view
}

fn headline(named: &str, change: &Change) -> String {
    let verb = if change.is_new { "write new file" } else { "change" };
    if change.doubt.is_some() {
        return format!("Wants to {verb} {named}");
    }
    format!("Wants to {verb} {named} (+{} -{})", change.drawn.added, change.drawn.removed)
}

fn base(found: Option<&FileSeen>) -> Base<'_> {
    match found {
        None => Base::Unknown("was not read".into()),
        Some(FileSeen::Absent) => Base::Absent,
        Some(FileSeen::Content(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Base::Text(text),
            _ => Base::Unknown(format!("is not text ({} bytes)", bytes.len()).into()),
        },
        Some(FileSeen::Unreadable(why)) => Base::Unknown(format!("can't be read ({why})").into()),
        Some(FileSeen::TooBig(size)) => {
            Base::Unknown(format!("is larger than Countersign reads ({size} bytes)").into())
        }
    }
}

/// The hash of what the view was made from; absent where it wasn't made from the file at all.
fn hashed(found: &FileSeen) -> Option<Option<countersign_proto::id::Hash>> {
    match found {
        FileSeen::Absent => Some(None),
        FileSeen::Content(bytes) => Some(Some(domain::hash(domain::FILE, &[bytes]))),
        FileSeen::Unreadable(_) | FileSeen::TooBig(_) => None,
    }
}

fn write(base: &Base<'_>, content: &str) -> Change {
    match base {
        Base::Absent => Change { is_new: true, ..Change::sure(diff::added(content)) },
        // A byte order mark of the file stays.
        Base::Text(old)
            if old.starts_with('\u{feff}') && !content.is_empty() && !content.starts_with('\u{feff}') =>
        {
            Change::sure(diff::between(old, &format!("\u{feff}{content}")))
        }
        Base::Text(old) => Change::sure(diff::between(old, content)),
        Base::Unknown(why) => Change::doubtful(
            diff::added(content),
            format!("the file {why}, so what would be lost is not shown; all of the new content is"),
        ),
    }
}

fn edited(base: &Base<'_>, edits: &[Edit]) -> Change {
    let why = match base {
        Base::Absent => match edits {
            [edit] if edit.old.is_empty() => {
                return Change { is_new: true, ..Change::sure(diff::added(&edit.new)) };
            }
            _ => "there is no such file".to_owned(),
        },
        Base::Text(old) => match edit::apply(old, edits) {
            Ok(new) => return Change::sure(diff::between(old, &new)),
            Err(why) => why,
        },
        Base::Unknown(why) => format!("the file {why}"),
    };
    Change::doubtful(diff::unplaced(edits), format!("{why}, so the change is shown without its place"))
}

fn notebook(base: &Base<'_>, cell: Option<&str>, what: Cell, source: &str) -> Change {
    let found = match base {
        Base::Absent => Err("there is no such notebook".to_owned()),
        Base::Text(text) => match what {
            Cell::Inserted => Ok(String::new()),
            Cell::Replaced | Cell::Deleted => {
                cell_source(text, cell).ok_or_else(|| "the cell is not in the notebook".to_owned())
            }
        },
        Base::Unknown(why) => Err(format!("the notebook {why}")),
    };
    let (old, doubt) = match found {
        Ok(old) => (old, None),
        Err(why) => (String::new(), Some(format!("{why}, so what the cell holds now is not shown"))),
    };
    let mut drawn = Drawn::default();
    drawn.remark(match what {
        Cell::Replaced => "replaces a cell's source",
        Cell::Inserted => "inserts a new cell",
        Cell::Deleted => "deletes a cell",
    });
    let new = if what == Cell::Deleted { "" } else { source };
    if !(old.is_empty() && new.is_empty()) {
        let change = diff::between(&old, new);
        drawn = Drawn { lines: format!("{}\n{}", drawn.lines, change.lines), ..change };
    }
    Change { drawn, is_new: false, doubt }
}

/// The source of a notebook's cell, by its id or as `cell-N`.
fn cell_source(notebook: &str, cell: Option<&str>) -> Option<String> {
    let notebook = Json::parse(notebook).ok()?;
    let Json::List(cells) = notebook.get("cells")? else { return None };
    let name = cell?;
    let has_id = |cell: &&Json| cell.get("id").and_then(Json::as_text) == Some(name);
    let numbered = || cells.get(name.strip_prefix("cell-")?.parse::<usize>().ok()?);
    match cells.iter().find(has_id).or_else(numbered)?.get("source")? {
        Json::Text(source) => Some(source.clone()),
        Json::List(lines) => lines.iter().map(|line| line.as_text().map(str::to_owned)).collect(),
        Json::Plain(_) | Json::Map(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::claude::sample;

    const FILE: &str = "/home/dev/site/src/main.rs";

    fn drawn(tool: &str, input: &Value, file: FileSeen) -> (String, countersign_core::draft::Draft) {
        let call = sample::call(tool, input);
        let [path] = call.needs().try_into().expect("one file");
        let draft = call.draft(&Seen::from([(path, file)]), &crate::claude::sample::given());
        (sample::words(&draft.view), draft)
    }

    fn content(text: &str) -> FileSeen {
        FileSeen::Content(text.into())
    }

    fn reasons(draft: &countersign_core::draft::Draft) -> Vec<&str> {
        draft.reasons.iter().map(countersign_proto::text::Shown::as_str).collect()
    }

    fn edit(old: &str, new: &str) -> Value {
        json!({"file_path": FILE, "old_string": old, "new_string": new, "replace_all": false})
    }

    #[test]
    fn an_edit_shows_its_lines_with_context_and_counts() {
        let base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
        let (words, draft) = drawn("Edit", &edit("four", "4\nIV"), content(base));
        let expected = "/home/dev/site/src/main.rs +2 -1\n\
             @@ -1,7 +1,8 @@\n one\n two\n three\n-four\n+4\n+IV\n five\n six\n seven";
        assert_eq!(words, expected);
        assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs (+2 -1)");
        assert!(draft.whole && draft.reasons.is_empty());
        assert_eq!(draft.depends[0].path.raw(), FILE);
        assert_eq!(draft.depends[0].hash, Some(domain::hash(domain::FILE, &[base.as_bytes()])));
    }

    #[test]
    fn an_edit_of_four_hundred_lines_is_all_there() {
        let old: String = (0..400).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..400).map(|n| format!("new {n}\n")).collect();
        let (words, draft) = drawn("Edit", &edit(&old, &new), content(&format!("head\n{old}tail\n")));
        assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs (+400 -400)");
        for n in 0..400 {
            assert!(
                words.contains(&format!("\n-old {n}\n")) && words.contains(&format!("\n+new {n}\n")),
                "{n}"
            );
        }
    }

    #[test]
    fn every_occurrence_is_shown_where_every_one_is_replaced() {
        let input = json!({"file_path": FILE, "old_string": "x", "new_string": "y", "replace_all": true});
        let far: String = (0..20).map(|n| format!("{n}\n")).collect();
        let (words, draft) = drawn("Edit", &input, content(&format!("x x\n{far}x\n")));
        assert_eq!(words.matches("\n@@ ").count(), 2, "{words}");
        assert!(words.contains("\n-x x\n+y y\n") && words.ends_with("\n-x\n+y"), "{words}");
        assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs (+2 -2)");
    }

    #[test]
    fn several_edits_are_one_change() {
        let input = json!({"file_path": FILE, "edits": [
            {"old_string": "a", "new_string": "b"}, {"old_string": "b\nc", "new_string": "d"}]});
        let (words, draft) = drawn("MultiEdit", &input, content("a\nc\n"));
        assert_eq!(words, format!("{FILE} +1 -2\n@@ -1,2 +1,1 @@\n-a\n-c\n+d"));
        assert!(draft.whole);
    }

    #[test]
    fn an_edit_that_has_no_place_in_the_file_says_so_and_is_shown_whole() {
        for (file, why) in [
            (content("other\n"), "the text to replace is not in the file"),
            (
                content("beta\nbeta\n"),
                "the text to replace is in the file 2 times, and the edit does not say which is meant",
            ),
            (FileSeen::Absent, "there is no such file"),
            (FileSeen::Content(vec![0xff, 0xfe, b'a']), "the file is not text (3 bytes)"),
            (content("beta\0"), "the file is not text (5 bytes)"),
            (FileSeen::Unreadable("permission denied".into()), "the file can't be read (permission denied)"),
            (FileSeen::TooBig(9_000_000), "the file is larger than Countersign reads (9000000 bytes)"),
        ] {
            let (words, draft) = drawn("Edit", &edit("beta", "BETA\ngamma"), file);
            let expected =
                format!("{FILE} +2 -1\n@ replaces the text below, wherever it stands\n-beta\n+BETA\n+gamma");
            assert_eq!(words, expected, "{why}");
            assert_eq!(reasons(&draft), [format!("{why}, so the change is shown without its place")]);
            assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs");
        }
    }

    #[test]
    fn a_base_that_was_not_read_is_no_dependency() {
        let (_, unread) = drawn("Edit", &edit("a", "b"), FileSeen::TooBig(1));
        assert!(unread.depends.is_empty());
        let (_, absent) = drawn("Edit", &edit("", "b"), FileSeen::Absent);
        assert_eq!(absent.depends[0].hash, None);
        let call = sample::call("Edit", &edit("a", "b"));
        assert_eq!(
            reasons(&call.draft(&Seen::new(), &crate::claude::sample::given())),
            ["the file was not read, so the change is shown without its place"]
        );
    }

    #[test]
    fn whether_a_file_is_new_comes_from_the_disk() {
        let write = json!({"file_path": FILE, "content": "one\ntwo\n"});
        let (words, draft) = drawn("Write", &write, FileSeen::Absent);
        assert_eq!(words, format!("new {FILE} +2 -0\n@@ -0,0 +1,2 @@\n+one\n+two"));
        assert_eq!(draft.headline.as_str(), "Wants to write new file src/main.rs (+2 -0)");
        let (words, draft) = drawn("Write", &write, content("one\n"));
        assert_eq!(words, format!("{FILE} +1 -0\n@@ -1,1 +1,2 @@\n one\n+two"));
        assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs (+1 -0)");
        let (words, _) = drawn("Edit", &edit("", "one"), FileSeen::Absent);
        assert!(words.starts_with(&format!("new {FILE} +1 -0\n")), "{words}");
        let (words, _) = drawn("Write", &json!({"file_path": FILE, "content": ""}), FileSeen::Absent);
        assert_eq!(words, format!("new {FILE} +0 -0\n@ an empty file"));
    }

    #[test]
    fn what_is_written_over_something_unreadable_is_shown_whole() {
        let write = json!({"file_path": FILE, "content": "text\n"});
        let (words, draft) = drawn("Write", &write, FileSeen::Content(b"\x7fELF\0\xff".to_vec()));
        assert_eq!(words, format!("{FILE} +1 -0\n@@ -0,0 +1,1 @@\n+text"));
        let why =
            "the file is not text (6 bytes), so what would be lost is not shown; all of the new content is";
        assert_eq!(reasons(&draft), [why]);
        assert_eq!(draft.headline.as_str(), "Wants to change src/main.rs");
        assert!(draft.depends[0].hash.is_some());
    }

    #[test]
    fn line_breaks_of_windows_and_hidden_characters_are_visible() {
        let (words, _) = drawn("Edit", &edit("b", "B\u{202e}"), content("a\r\nb\r\n"));
        assert_eq!(words, format!("{FILE} +1 -1\n@@ -1,2 +1,2 @@\n a\\r\n-b\\r\n+B\\u{{202e}}\\r"));
        let write = json!({"file_path": FILE, "content": "a\nb\n"});
        let (words, _) = drawn("Write", &write, content("a\r\nb\r\n"));
        assert_eq!(words, format!("{FILE} +2 -2\n@@ -1,2 +1,2 @@\n-a\\r\n-b\\r\n+a\n+b"));
    }

    #[test]
    fn a_byte_order_mark_stays() {
        let write = json!({"file_path": FILE, "content": "b\n"});
        let (words, _) = drawn("Write", &write, content("\u{feff}a\n"));
        assert!(words.ends_with("-\\u{feff}a\n+\\u{feff}b"), "{words}");
    }

    #[test]
    fn a_notebook_shows_the_cell_that_changes() {
        let base = json!({"cells": [
            {"cell_type": "code", "id": "c1", "source": ["import os\n", "print(1)"]},
            {"cell_type": "markdown", "source": "# Title"}]});
        let base = content(&base.to_string());
        let input = |more: Value| {
            let mut input =
                json!({"notebook_path": "/home/dev/site/a.ipynb", "new_source": "import os\nprint(2)"});
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            input
        };
        let (words, draft) = drawn("NotebookEdit", &input(json!({"cell_id": "c1"})), base.clone());
        assert!(
            words.contains("@ replaces a cell's source\n@@ -1,2 +1,2 @@\n import os\n-print(1)\n"),
            "{words}"
        );
        assert!(words.contains("+print(2)") && words.ends_with("\ncell_id: c1"), "{words}");
        assert_eq!(draft.headline.as_str(), "Wants to change a.ipynb (+1 -1)");
        let (words, _) =
            drawn("NotebookEdit", &input(json!({"cell_id": "cell-1", "edit_mode": "delete"})), base.clone());
        assert!(words.contains("@ deletes a cell\n@@ -1,1 +0,0 @@\n-# Title"), "{words}");
        let (words, _) =
            drawn("NotebookEdit", &input(json!({"edit_mode": "insert", "cell_type": "code"})), base.clone());
        assert!(words.contains("@ inserts a new cell") && words.contains("cell_type: code"), "{words}");
        let (words, draft) = drawn("NotebookEdit", &input(json!({"cell_id": "c9"})), base);
        assert!(words.contains("+import os\n+print(2)"), "{words}");
        let why = "the cell is not in the notebook, so what the cell holds now is not shown";
        assert_eq!(reasons(&draft), [why]);
    }

    #[test]
    fn a_path_is_resolved_and_one_that_is_uncertain_is_not_whole() {
        let relative = json!({"file_path": "src/../x", "content": "a\n"});
        let call = sample::call("Write", &relative);
        assert_eq!(call.needs(), [std::path::PathBuf::from("/home/dev/site/x")]);
        let draft = call.draft(&Seen::new(), &crate::claude::sample::given());
        assert!(draft.whole && reasons(&draft).contains(&"the agent wrote the path as `src/../x`"));
        let home = sample::call("Write", &json!({"file_path": "~/.bashrc", "content": "a\n"}));
        assert!(home.needs().is_empty());
        let draft = home.draft(&Seen::new(), &crate::claude::sample::given());
        assert!(!draft.whole);
        assert_eq!(draft.headline.as_str(), "Wants to change ~/.bashrc");
        assert!(sample::words(&draft.view).ends_with("+a"));
    }

    #[test]
    fn a_file_that_changes_meanwhile_makes_another_draft() {
        let (_, first) = drawn("Edit", &edit("b", "c"), content("b\n"));
        let (_, same) = drawn("Edit", &edit("b", "c"), content("b\n"));
        let (_, other) = drawn("Edit", &edit("b", "c"), content("b\n\n\n\n\n\n\nfar away\n"));
        assert!(first.shows_the_same_as(&same));
        assert!(!first.shows_the_same_as(&other));
    }
}
