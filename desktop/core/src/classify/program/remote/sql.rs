//! What a statement in a query language would lose. Comments, quotes and case are no cover; doubt is not loss.

/// What a statement does to stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Statement {
    /// Nothing that is known to lose anything.
    Other,
    /// Changes accounts or runs programs.
    Powerful,
    /// Deletes or overwrites.
    Loses,
}

/// What the text would do, the worst of all its statements.
pub(super) fn weigh(text: &str) -> Statement {
    let words = words(text);
    let has = |word: &str| words.iter().any(|one| one == word);
    let follows = |first: &str, second: &[&str]| {
        words.windows(2).any(|pair| matches!(pair, [a, b] if a == first && second.contains(&b.as_str())))
    };
    // `ALTER TABLE t DROP COLUMN c` and `ALTER TABLE t DELETE WHERE 1` have the verb in their middle.
    let is_altered = has("alter") && (has("drop") || has("delete") || has("truncate") || has("detach"));
    let is_dropped = follows("drop", DROPPED) || words.first().is_some_and(|word| word == "drop");
    let is_deleted = has("delete") && (has("from") || has("where")) || follows("delete", &["from"]);
    let is_overwritten =
        has("update") && has("set") || follows("replace", &["into"]) || follows("insert", &["overwrite"]);
    let is_called = CALLS.iter().any(|call| text.to_ascii_lowercase().contains(call));
    if is_altered
        || is_dropped
        || is_deleted
        || is_overwritten
        || is_called
        || has("truncate")
        || has("vacuum_full")
        || follows("detach", &["delete"])
    {
        return Statement::Loses;
    }
    let runs = has("grant")
        || has("revoke")
        || follows("alter", &["user", "role", "system"])
        || follows("create", &["user", "role", "extension"]);
    let shells = [
        "\\!",
        "program",
        "xp_cmdshell",
        "load_extension",
        ".shell",
        ".system",
        "sys_exec",
        "into outfile",
        "into dumpfile",
        "pg_terminate_backend",
        "lo_export",
        "pg_read_file",
        "load_file",
    ];
    let low = text.to_ascii_lowercase();
    let is_shelled = shells
        .iter()
        .any(|shell| if *shell == "program" { has("program") && has("copy") } else { low.contains(shell) });
    if runs || is_shelled { Statement::Powerful } else { Statement::Other }
}

/// What can be dropped.
#[rustfmt::skip] // rows of words
const DROPPED: &[&str] = &[
    "table", "database", "schema", "index", "view", "materialized", "user", "role", "type", "function",
    "procedure", "sequence", "trigger", "column", "extension", "tablespace", "keyspace", "collection",
    "publication", "subscription", "owned", "constraint", "stream", "dictionary", "measurement", "series",
    "bucket", "partition", "if", "cascade", "policy", "domain", "aggregate", "server", "retention", "shard",
];

/// Method and command names that lose data, in the clients that are no SQL.
#[rustfmt::skip] // rows of words
const CALLS: &[&str] = &[
    "dropdatabase", "dropcollection", ".drop(", ".deletemany(", ".deleteone(", ".remove(", ".dropindex",
    "findoneanddelete", "findanddelete", ".updatemany(", ".updateone(", ".replaceone(", "bulkwrite(",
    "dropuser", "flushall", "flushdb", "_delete_by_query", "db.shutdown", "shutdownserver", ".deleteall(",
];

/// The words in lower case, comments taken out.
fn words(text: &str) -> Vec<String> {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('/', Some('*')) => {
                letters.next();
                let mut last = ' ';
                for inner in letters.by_ref() {
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
                clean.push(' ');
            }
            ('-', Some('-')) => {
                for inner in letters.by_ref() {
                    if inner == '\n' {
                        break;
                    }
                }
                clean.push(' ');
            }
            _ if letter.is_alphanumeric() || letter == '_' => clean.extend(letter.to_lowercase()),
            _ => clean.push(' '),
        }
    }
    clean.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losing_statements_are_seen_through_case_comments_and_quotes() {
        for text in [
            "DROP TABLE users",
            "drop/**/table users",
            "drop -- x\n table users",
            "SELECT 1; DrOp DaTaBaSe shop",
            "TRUNCATE orders CASCADE",
            "delete from sessions",
            "DELETE FROM users;",
            "ALTER TABLE t DELETE WHERE 1",
            "ALTER TABLE t DROP COLUMN c",
            "UPDATE users SET admin = true",
            "db.dropDatabase()",
            "db.users.deleteMany({})",
            "REPLACE INTO t VALUES (1)",
            "MATCH (n) DETACH DELETE n",
        ] {
            assert_eq!(weigh(text), Statement::Loses, "{text}");
        }
    }

    #[test]
    fn statements_that_lose_nothing_are_not_called_losing() {
        for text in [
            "SELECT 1",
            "SELECT count(*) FROM users",
            "select deleted_at from t",
            "INSERT INTO t VALUES (1)",
            "select 'update' as x",
            "CREATE TABLE t (a int)",
            "\\dt",
            ".schema",
            "db.users.find()",
        ] {
            assert_eq!(weigh(text), Statement::Other, "{text}");
        }
    }

    #[test]
    fn statements_that_run_programs_or_change_accounts_are_powerful() {
        for text in
            ["COPY t TO PROGRAM 'sh'", "\\! ls", ".shell ls", "GRANT ALL ON t TO u", "ALTER ROLE u SUPERUSER"]
        {
            assert_eq!(weigh(text), Statement::Powerful, "{text}");
        }
    }
}
