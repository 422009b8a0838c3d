//! What tools other than a shell would do: file tools, fetches, searches, MCP servers' tools, and what nobody foresaw.

mod address;
mod file;
mod server;
#[cfg(test)]
mod tests;

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::{
    action::Action,
    facts::{PathFact, Place, Reach},
    finding::Finding,
    path,
    scene::Scene,
};

/// What a call of a tool other than a shell does, and the paths it names. A shell's call is not for here: it comes back
/// as unknown.
pub(super) fn judge(action: &Action, scene: &Scene<'_>) -> (Finding, Vec<PathFact>) {
    match action {
        Action::Files(uses) => file::judge(uses, scene),
        Action::Fetch { url } => fetch(url, scene),
        Action::WebSearch { query } => (search(query), Vec::new()),
        Action::Server { server, tool, arguments } => server::judge(server, tool, arguments, scene),
        Action::Unknown(arguments) => unknown(arguments, scene),
        Action::Shell(_) => (unknown_tool(), Vec::new()),
    }
}

/// Reading an address: always a card, and what comes back may say anything.
fn fetch(url: &str, scene: &Scene<'_>) -> (Finding, Vec<PathFact>) {
    let mut finding = Finding::of(Class::ReadExternal, Level::Red, Reach::Never);
    finding.brings_in = true;
    finding.hosts.extend(address::host(url));
    let host = finding.hosts.first().map(String::as_str);
    finding.headline = Some(headline("read the web page at", host.unwrap_or(url)));
    finding = finding.because("A request that carries an address always asks");
    if address::hides_data(url) {
        finding = finding.because("The address carries a long encoded value: data may leave with it");
    }
    let mut facts = Vec::new();
    if let Some(file) = address::file(url) {
        let fact = path::locate(scene, None, &file, false);
        finding.worsen(refuse_private(&fact, Class::ReadExternal));
        facts.push(fact);
    }
    (finding, facts)
}

/// Searching the web: a policy may allow it, unless an address rides along.
fn search(query: &str) -> Finding {
    let carries_address = query.contains("://");
    let reach = if carries_address { Reach::Never } else { Reach::Class };
    let mut finding = Finding::of(Class::ReadExternal, Level::Red, reach).because("Searches the web");
    if carries_address {
        finding = finding.because("A request that carries an address always asks");
    }
    finding.brings_in = true;
    finding.headline = Some(Shown::line("Wants to search the web"));
    finding
}

/// A tool that nobody foresaw: its arguments may still name what is closed or outside.
fn unknown(arguments: &[(String, String)], scene: &Scene<'_>) -> (Finding, Vec<PathFact>) {
    let mut finding = unknown_tool();
    let facts = server::read_arguments(arguments, true, scene, &mut finding, Class::Unknown);
    (finding, facts)
}

fn unknown_tool() -> Finding {
    let mut finding =
        Finding::of(Class::Unknown, Level::Yellow, Reach::Never).because("Nobody knows what this tool does");
    finding.headline = Some(Shown::line("Wants to use a tool that Countersign does not know"));
    finding
}

/// What a path means to a tool that opens files by itself: an `.env` file gets no card (REF-2).
fn refuse_private(fact: &PathFact, class: Class) -> Finding {
    if fact.place == Place::Env { path::refuse_env(fact, class) } else { path::weigh(fact, class) }
}

/// "Wants to … X". What stands in X is foreign, and shown as such.
fn headline(does: &str, what: &str) -> Shown {
    Shown::line(&format!("Wants to {does} {what}"))
}
