//! Tools of MCP servers: their effect is unknown to us, so they are external at the least (EFF-1). Paths in their
//! arguments count (LVL-3), and so do clicks that pay, send or delete (EFF-3, EFF-4). A server's own word for what it
//! does changes nothing.

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::{address, refuse_private};
use crate::classify::{
    facts::{PathFact, Place, Reach},
    finding::Finding,
    path,
    scene::Scene,
    word::Word,
};

/// What a server's tool does.
pub(super) fn judge(
    server: &str,
    tool: &str,
    arguments: &[(String, String)],
    scene: &Scene<'_>,
) -> (Finding, Vec<PathFact>) {
    let mut finding = Finding::of(Class::External, Level::Yellow, Reach::Never)
        .because("What a server's tool does is known to nobody but the server");
    finding.brings_in = true;
    finding.headline = Some(Shown::line(&format!("Wants to use {tool} of {server}")));
    let words = words(tool);
    if pays(&words, arguments) {
        finding.worsen(spend("Pays, buys, orders, books or subscribes"));
    }
    if is_click(&words) {
        for (_, label) in arguments.iter().filter(|(name, _)| is_label(name)) {
            if let Some(worse) = click(label) {
                finding.worsen(worse);
            }
        }
    }
    let only_reads = words.first().is_some_and(|word| READS.contains(&word.as_str()));
    let facts = read_arguments(arguments, !only_reads, scene, &mut finding, Class::External);
    (finding, facts)
}

/// First words of tools that say they only look. It spares a guarded file's name from counting as a change, no more.
const READS: &[&str] = &[
    "read",
    "get",
    "list",
    "search",
    "find",
    "view",
    "show",
    "stat",
    "fetch",
    "query",
    "describe",
    "directory",
    "head",
    "retrieve",
    "lookup",
    "count",
    "check",
    "tail",
    "grep",
    "tree",
];

/// Names of arguments that hold a path and nothing else.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filepath",
    "dir",
    "directory",
    "directories",
    "folder",
    "cwd",
    "root",
    "roots",
    "source",
    "src",
    "destination",
    "dest",
    "dst",
    "target",
    "output",
    "input",
    "workdir",
    "uri",
    "location",
    "attachment",
    "attachments",
    "repo",
    "repository",
    "workspace",
    "project",
    "from",
    "to",
    "upload",
    "download",
];

/// Names of arguments that somebody may run. Messages are not among them: a word about a store opens none.
const SCRIPTS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "script",
    "scripts",
    "code",
    "shell",
    "bash",
    "exec",
    "args",
    "argv",
    "expression",
    "program",
    "eval",
    "function",
    "stdin",
    "chars",
    "js",
    "javascript",
    "python",
];

/// Reads every argument for paths, addresses and mentions of what is closed.
pub(super) fn read_arguments(
    arguments: &[(String, String)],
    is_changed: bool,
    scene: &Scene<'_>,
    finding: &mut Finding,
    class: Class,
) -> Vec<PathFact> {
    let mut facts = Vec::new();
    for (name, text) in arguments {
        let key =
            words(name.rsplit('.').find(|part| !part.chars().all(|c| c.is_ascii_digit())).unwrap_or(name));
        let is_one_of = |list: &[&str]| key.iter().any(|word| list.contains(&word.as_str()));
        if text.contains("://") {
            finding.hosts.extend(address::host(text.trim()));
        }
        for written in named(text, is_one_of(PATHS), is_one_of(SCRIPTS)) {
            let fact = path::locate(scene, Some(scene.call.folder), &written, is_changed);
            finding.worsen(weigh(&fact, class));
            if fact.place != Place::Inside || is_one_of(PATHS) {
                facts.push(fact);
            }
        }
        if is_one_of(SCRIPTS) {
            let mention = path::mentions(text, scene);
            let class = if mention.level == Level::Green { mention.class } else { class };
            finding.worsen(Finding { class, ..mention });
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    finding.hosts.retain(|host| seen.insert(host.clone()));
    facts
}

/// A temporary folder is outside like any other here: what the tool does there can't be told.
fn weigh(fact: &PathFact, class: Class) -> Finding {
    let mut finding = refuse_private(fact, class);
    if fact.place == Place::Temporary {
        finding.level = Level::Red;
        finding.may_remember = false;
    }
    finding
}

/// The paths that an argument names: any by its name, and else what plainly begins as one. Texts are full of names.
fn named(text: &str, is_path: bool, is_script: bool) -> Vec<String> {
    let text = text.trim();
    if is_path {
        return path::tokens(&Word::plain(text));
    }
    if text.contains(char::is_whitespace) {
        let scanned = if is_script { path::evident(text) } else { Vec::new() };
        return scanned.into_iter().map(str::to_owned).collect();
    }
    let lower = text.to_ascii_lowercase();
    let begins = path::begins_as_path(text)
        || text.starts_with(['~', '@', '\\'])
        || lower.starts_with("file:")
        || lower.starts_with(".env")
        // `/deploy` is a command of an agent, `/data/x` is not.
        || text.strip_prefix('/').is_some_and(|rest| rest.contains('/'));
    if begins { path::tokens(&Word::plain(text)) } else { Vec::new() }
}

/// A name's words: `browserClick`, `browser_click` and `browser-click` are `browser`, `click`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts = !c.is_alphanumeric() || (c.is_uppercase() && was_lower);
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn spend(words: &str) -> Finding {
    Finding::of(Class::Spend, Level::Red, Reach::Never).because(words)
}

/// Tools whose name says that money moves by themselves.
const PAYING: &[&str] = &[
    "pay",
    "buy",
    "purchase",
    "checkout",
    "charge",
    "payout",
    "refund",
    "subscribe",
    "donate",
    "topup",
    "withdraw",
    "bid",
];
/// Things that cost, where a tool makes one.
const COSTING: &[&str] = &[
    "payment",
    "order",
    "booking",
    "reservation",
    "subscription",
    "transfer",
    "invoice",
    "transaction",
    "checkout",
    "purchase",
    "charge",
    "refund",
    "payout",
];
/// What makes one.
const MAKING: &[&str] = &[
    "create", "place", "make", "confirm", "submit", "send", "capture", "finalize", "finalise", "execute",
    "start", "add", "complete", "accept", "approve", "initiate", "book", "new", "update",
];
/// Names of arguments that hold money.
const MONEY: &[&str] = &["amount", "price", "total", "currency", "budget", "cost"];

/// Whether a tool moves money, by its name and arguments (EFF-3).
fn pays(words: &[String], arguments: &[(String, String)]) -> bool {
    let is_in = |word: &String, list: &[&str]| {
        list.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|word| list.contains(&word))
    };
    if words.first().is_some_and(|word| READS.contains(&word.as_str())) {
        return false;
    }
    let makes = words.iter().any(|word| is_in(word, MAKING));
    let has_amount = arguments.iter().any(|(name, text)| {
        let is_money = self::words(name).iter().any(|word| word == "amount");
        is_money && text.contains(|c: char| c.is_ascii_digit())
    });
    let has_price = arguments.iter().any(|(name, _)| self::words(name).iter().any(|word| is_in(word, MONEY)));
    words.iter().any(|word| is_in(word, PAYING))
        || (makes && words.iter().any(|word| is_in(word, COSTING)))
        || has_amount
        || (makes && has_price && words.iter().any(|word| word == "link"))
}

/// Whether a tool presses what a page shows.
fn is_click(words: &[String]) -> bool {
    const PRESSES: &[&str] = &[
        "click",
        "clicks",
        "press",
        "tap",
        "submit",
        "act",
        "doubleclick",
        "dblclick",
        "activate",
        "action",
        "select",
    ];
    words.iter().any(|word| PRESSES.contains(&word.as_str()))
}

/// Whether an argument holds what a button says.
fn is_label(name: &str) -> bool {
    const LABELS: &[&str] = &[
        "element",
        "label",
        "text",
        "name",
        "title",
        "description",
        "selector",
        "button",
        "target",
        "value",
        "action",
        "instruction",
        "aria",
        "locator",
        "intent",
        "what",
        "query",
    ];
    words(name).iter().any(|word| LABELS.contains(&word.as_str()))
}

/// Labels that pay, by language.
const BUY: &[&str] = &[
    // English
    "buy",
    "pay",
    "payment",
    "order",
    "book",
    "subscribe",
    "purchase",
    "checkout",
    "donate",
    "reserve",
    "bid",
    // German
    "kaufen",
    "bezahlen",
    "zahlen",
    "bestellen",
    "kostenpflichtig",
    "buchen",
    "abonnieren",
    // French
    "acheter",
    "payer",
    "commander",
    "réserver",
    "abonner",
    // Spanish, Portuguese
    "comprar",
    "pagar",
    "pedir",
    "reservar",
    "suscribirse",
    "assinar",
    "encomendar",
    // Italian
    "acquista",
    "acquistare",
    "paga",
    "ordina",
    "prenota",
    "abbonati",
];
/// Labels that send, publish or delete, by language.
const SEND: &[&str] = &[
    // English
    "send",
    "post",
    "publish",
    "delete",
    "remove",
    "reply",
    "tweet",
    "share",
    "destroy",
    "erase",
    "deactivate",
    "unsubscribe",
    "transfer",
    "withdraw",
    "deploy",
    "merge",
    // German
    "senden",
    "abschicken",
    "absenden",
    "posten",
    "veröffentlichen",
    "löschen",
    "entfernen",
    // French
    "envoyer",
    "publier",
    "supprimer",
    // Spanish, Portuguese
    "enviar",
    "publicar",
    "eliminar",
    "borrar",
    "excluir",
    "apagar",
    "remover",
    // Italian
    "invia",
    "pubblica",
    "elimina",
    "rimuovi",
];

/// What pressing something with this label does (EFF-4), where the label says so.
fn click(label: &str) -> Option<Finding> {
    let words = words(label);
    let says = |list: &[&str]| {
        words.iter().any(|word| {
            let endings = ["", "s", "es", "ing", "ed", "ting"];
            let mut stems = endings.iter().filter_map(|ending| word.strip_suffix(ending));
            stems.any(|stem| {
                list.iter().any(|listed| *listed == stem || listed.strip_suffix('e') == Some(stem))
            })
        })
    };
    let checks_out = words.windows(2).any(|pair| pair == ["check", "out"]);
    if says(BUY) || checks_out {
        return Some(spend("The label says that this pays, buys, orders, books or subscribes"));
    }
    says(SEND).then(|| {
        Finding::of(Class::External, Level::Red, Reach::Never)
            .because("The label says that this sends, publishes or deletes")
    })
}
