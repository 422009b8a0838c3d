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
    format!("Wants to {verb} {named} (+{} −{})", change.drawn.added, change.drawn.removed)
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
