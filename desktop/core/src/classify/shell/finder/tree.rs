//! The second opinion: tree-sitter's bash grammar, which recovers from errors. Its reading is not bash's everywhere, so
//! nothing rests on its silence.

use core::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

/// How often the parser may report progress before it is stopped: it reports every few hundred bytes of work.
const MOST_REPORTS: u32 = 100_000;
/// How deep the tree may be.
const MOST_DEEP: usize = 400;
/// How many times its own length of a text may be looked at again.
const MOST_AGAIN: usize = 8;

/// What the tree shows.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Texts of commands.
    pub(super) pieces: Vec<String>,
    /// Texts of what the grammar could not read, or reads too shallowly.
    pub(super) raw: Vec<String>,
    pub(super) is_whole: bool,
    pub(super) is_deep: bool,
}

/// Parses a text and takes from its tree whatever may run.
pub(super) fn look(text: &str) -> Look {
    let mut look = Look::default();
    let Some(tree) = parse(text) else { return look };
    look.is_whole = !tree.root_node().has_error();
    let mut again = text.len() * MOST_AGAIN;
    let mut depth = 0_usize;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if let Some(piece) = piece(&node, text) {
            again = again.saturating_sub(piece.len());
            if again == 0 {
                look.is_deep = true;
                return look;
            }
            if node.kind() == "command" { look.pieces.push(piece) } else { look.raw.push(piece) }
        }
        if cursor.goto_first_child() {
            depth += 1;
            if depth > MOST_DEEP {
                look.is_deep = true;
                return look;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            depth = depth.saturating_sub(1);
            if !cursor.goto_parent() {
                return look;
            }
        }
    }
}

fn parse(text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut reports = 0_u32;
    let mut progress = |_: &ParseState| {
        reports += 1;
        if reports > MOST_REPORTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The text of a node that is worth a look of its own.
fn piece(node: &Node<'_>, text: &str) -> Option<String> {
    let is_worth = match node.kind() {
        "command" => true,
        // Substitutions inside these get no node of their own in every spelling.
        "ERROR" | "expansion" | "arithmetic_expansion" | "subscript" => node.parent().is_some(),
        _ => false,
    };
    if !is_worth {
        return None;
    }
    text.get(node.byte_range()).map(str::to_owned)
}
