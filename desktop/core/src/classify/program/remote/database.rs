//! Database clients. Text that would lose data is destructive; a server that is not this computer is the network; SQL
//! that cannot be read here (piped in) is red; the rest is a client that could run anything: yellow.

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE, UNKNOWN, UNKNOWN_RED,
    },
    args,
    cli::PROBE,
    sql::{self, Statement},
};
use crate::classify::{finding::Finding, word::Command};

/// Database clients and tools.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "psql", "pgcli", "mysql", "mariadb", "mycli", "usql", "cockroach", "sqlcmd", "mssql-cli", "osql",
            "isql", "bcp", "sqlplus", "sql", "sqlcl", "db2", "clickhouse", "clickhouse-client",
            "clickhouse-local", "cqlsh", "trino", "presto", "impala-shell", "vsql", "nzsql", "bteq", "influx",
            "ysqlsh", "ycqlsh", "questdb", "monetdb", "mclient", "firebird", "exasol", "surreal", "arangosh",
            "cypher-shell", "gremlin", "neo4j-shell", "mysqlsh", "pgbench", "mysqlslap", "tidb", "taos",
            "sqlite-utils", "datasette", "steampipe", "octosql", "dsq", "dolt", "edgedb", "gel",
            "materialize", "ksql",
        ],
        does: Does::Code(|c, _| server(c)),
        why: "a client that can run anything",
    },
    Entry {
        names: &["sqlite3", "sqlite", "sqlcipher", "litecli", "duckdb", "rqlite", "libsql"],
        does: Does::Code(|c, _| file(c)),
        why: "a client of a file",
    },
    Entry {
        names: &[
            "mongosh", "mongo", "mongoimport", "mongoexport", "mongodump", "mongorestore", "mongostat",
            "mongotop", "mongofiles",
        ],
        does: Does::Code(|c, _| mongo(c)),
        why: "MongoDB's shell and tools",
    },
    Entry {
        names: &[
            "redis-cli", "valkey-cli", "keydb-cli", "iredis", "dragonfly-cli", "memcached-tool", "memcli",
        ],
        does: Does::Code(|c, _| redis(c)),
        why: "Redis and its kin",
    },
    Entry {
        names: &[
            "dropdb", "dropuser", "pg_resetwal", "pg_dropcluster", "mysql_secure_installation", "pg_rewind",
        ],
        does: Does::Always(DESTRUCTIVE.because("drops a database")),
        why: "loses stored data",
    },
    Entry {
        names: &[
            "createdb", "createuser", "initdb", "pg_isready", "pg_dump", "pg_dumpall", "pg_basebackup",
            "mysqldump", "mariadb-dump", "mysqlcheck", "mysqlimport", "mydumper", "myloader", "pgloader",
            "vacuumdb", "reindexdb", "clusterdb", "pg_upgrade", "pg_ctl", "pg_ctlcluster", "postgres",
            "mysqld", "mongod", "redis-server", "valkey-server", "pg_recvlogical", "pg_verifybackup",
            "pg_archivecleanup", "redis-benchmark", "mysqlshow", "nodetool", "sstableloader", "influxd",
            "litestream", "barman", "wal-g", "pgbackrest",
        ],
        does: Does::Code(|c, _| tool(c)),
        why: "runs or copies a database",
    },
    Entry {
        names: &["pg_restore"],
        does: Does::Code(|c, _| restore(c)),
        why: "restores over what is there with --clean",
    },
    Entry {
        names: &["mysqladmin", "mariadb-admin"],
        does: Does::Code(|c, _| admin(c)),
        why: "drops, stops or looks",
    },
    Entry {
        names: &[
            "meilisearch", "elasticsearch-cli", "opensearch-cli", "curator", "elasticdump", "solr",
            "typesense", "qdrant", "weaviate", "chroma", "milvus_cli",
        ],
        does: Does::Code(|c, _| server(c)),
        why: "a search store's client",
    },
];

/// Options whose value is a statement.
const STATEMENTS: &[&str] = &[
    "-c",
    "--command",
    "-e",
    "--execute",
    "-q",
    "--query",
    "-Q",
    "--eval",
    "--sql",
    "-cmd",
    "--cmd",
    "--statement",
    "--init-command",
];
fn is_local(host: &str) -> bool {
    let host = host.split(['/', ',']).next().unwrap_or_default();
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" | "") || host.starts_with("127.")
}

/// The server that the arguments name, where it is not this computer.
fn elsewhere(command: &Command, hosts: &[&str]) -> Option<Finding> {
    let addresses = command.arguments().iter().filter(|word| {
        let text = word.text.as_str();
        text.contains("://")
            || text.contains("host=")
            || text.starts_with('@')
            || (text.starts_with('$') && is_address_name(text))
    });
    let named = args::values(command, hosts);
    let options = named
        .iter()
        .map(|value| args::host(value).unwrap_or(value))
        .filter(|host| !host.starts_with(['/', '-']));
    let inline = addresses.map(|word| {
        let text = word.text.as_str();
        let from_words = text.split([' ', '&', '?', '\'']).find_map(|part| part.strip_prefix("host="));
        from_words.or_else(|| args::host(text)).unwrap_or(text)
    });
    let mut finding: Option<Finding> = None;
    for host in options.chain(inline).filter(|host| !is_local(host)) {
        let found = finding.get_or_insert_with(|| {
            NETWORK_READ_ASKS.because("talks to a database server elsewhere").finding()
        });
        found.hosts.push(host.to_owned());
    }
    finding
}

/// `$DATABASE_URL`, `${PG_HOST}`: where it points cannot be told.
fn is_address_name(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    ["url", "host", "dsn", "uri", "conn", "server", "database"].iter().any(|part| low.contains(part))
}

fn by_text(texts: &[&str]) -> Finding {
    let worst = texts.iter().map(|text| sql::weigh(statement(text))).max().unwrap_or(Statement::Other);
    match worst {
        Statement::Loses => DESTRUCTIVE.because("deletes or overwrites stored data").finding(),
        Statement::Powerful => {
            UNKNOWN_RED.because("changes accounts or runs programs from the database").finding()
        }
        Statement::Other => UNKNOWN.because("a database client can run anything").finding(),
    }
}

/// What of an argument may be a statement: behind `=` in a long option, behind the letter in a short one.
fn statement(text: &str) -> &str {
    if text.starts_with("--") {
        return text.split_once('=').map_or("", |(_, value)| value);
    }
    if args::is_option(text) { text.get(2..).unwrap_or_default() } else { text }
}

/// What is fed in: read where it is known, red where it is not.
fn by_feed(command: &Command) -> Option<Finding> {
    if let Some(text) = &command.fed_text {
        return Some(by_text(&[text.as_str()]));
    }
    command.is_fed.then(|| UNKNOWN_RED.because("runs statements that can't be seen here").finding())
}

/// First words of clients that take sub-commands.
const VERBS: &[&str] =
    &["delete", "destroy", "drop", "purge", "remove", "reset", "restore", "truncate", "wipe"];

fn server(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let texts: Vec<&str> = args::texts(command).collect();
    let mut finding = by_text(&texts);
    if texts.iter().find(|text| !text.starts_with('-')).is_some_and(|verb| VERBS.contains(verb)) {
        finding.worsen(DESTRUCTIVE.because("deletes or overwrites stored data").finding());
    }
    if args::values(command, STATEMENTS).is_empty()
        && !args::has(command, &["-f", "--file"])
        && let Some(fed) = by_feed(command)
    {
        finding.worsen(fed);
    }
    finding.drivers.extend(
        args::values(command, &["-f", "--file", "-i", "--input-file"]).into_iter().map(str::to_owned),
    );
    let hosts: &[&str] = match command.name() {
        "sqlcmd" | "osql" | "mssql-cli" | "bcp" => &["-S", "--server"],
        "cypher-shell" => &["-a", "--address"],
        _ => &["-h", "--host", "--hostname", "--uri", "--url"],
    };
    if let Some(outside) = elsewhere(command, hosts) {
        finding.worsen(outside);
    }
    if command
        .assigned
        .iter()
        .any(|name| matches!(name.as_str(), "PGHOST" | "PGSERVICE" | "PGHOSTADDR" | "MYSQL_HOST"))
    {
        finding.worsen(NETWORK_READ_ASKS.finding());
    }
    finding
}

fn file(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let texts: Vec<&str> = args::texts(command).collect();
    let mut finding = by_text(&texts);
    let has_statement =
        args::operands(command, &["-cmd", "-init", "-separator", "-nullvalue", "-c"]).words.len() > 1;
    if !has_statement && let Some(fed) = by_feed(command) {
        finding.worsen(fed);
    }
    // Dot commands that overwrite a file or a database.
    if texts
        .iter()
        .any(|text| [".restore", ".import", ".clone", ".recover"].iter().any(|dot| text.contains(dot)))
    {
        finding.worsen(DESTRUCTIVE.because("overwrites a database").finding());
    }
    finding
}

fn mongo(command: &Command) -> Finding {
    let mut finding = server(command);
    if args::has(command, &["--drop"]) {
        finding.worsen(DESTRUCTIVE.because("drops before it restores").finding());
    }
    if command.name() == "mongofiles" && args::texts(command).any(|text| text.starts_with("delete")) {
        finding.worsen(DESTRUCTIVE.finding());
    }
    finding
}

/// Commands that lose data or stop the server, in any case.
#[rustfmt::skip] // rows of words
const REDIS_LOSES: &[&str] = &[
    "flushall", "flushdb", "del", "unlink", "getdel", "hdel", "srem", "zrem", "lrem", "ltrim", "xdel",
    "xtrim", "rename", "restore", "expire", "pexpire", "expireat", "zremrangebyscore", "zremrangebyrank",
    "zremrangebylex", "spop", "lpop", "rpop", "shutdown", "swapdb", "replicaof", "slaveof", "set", "getset",
    "json.del", "ft.dropindex", "flush_all", "delete", "lset",
];
const REDIS_POWER: &[&str] = &[
    "config",
    "eval",
    "evalsha",
    "script",
    "acl",
    "module",
    "debug",
    "migrate",
    "function",
    "fcall",
    "save",
    "bgsave",
    "bgrewriteaof",
    "cluster",
    "failover",
    "client",
];

fn redis(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let valued = [
        "-h", "-p", "-a", "-n", "-u", "-r", "-i", "-s", "--user", "--pass", "-d", "-D", "-x", "--cacert",
        "--cert", "--key", "-t",
    ];
    let found = args::operands(command, &valued);
    let words: Vec<String> = args::texts(command).map(str::to_ascii_lowercase).collect();
    let verb = found.words.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    let is_in = |list: &[&str], word: &str| list.contains(&word);
    // Flushing counts wherever it stands; a key may be called `del`.
    let loses = is_in(REDIS_LOSES, &verb)
        || words.iter().any(|word| {
            matches!(word.as_str(), "flushall" | "flushdb" | "flush_all")
                || word.contains("flushall")
                || word.contains("flushdb")
        })
        || (found.sure == 0 && words.iter().any(|word| is_in(REDIS_LOSES, word)));
    let mut finding = if loses {
        DESTRUCTIVE.because("deletes or overwrites stored data").finding()
    } else if is_in(REDIS_POWER, &verb) || args::has(command, &["--eval", "--pipe", "--cluster"]) {
        UNKNOWN_RED.because("changes the server or runs a script in it").finding()
    } else {
        UNKNOWN.because("a database client can run anything").finding()
    };
    if verb.is_empty() || args::has(command, &["-x", "-X"]) {
        if let Some(text) = &command.fed_text {
            let low = text.to_ascii_lowercase();
            let lost = low
                .lines()
                .filter_map(|line| line.split_whitespace().next())
                .any(|first| is_in(REDIS_LOSES, first));
            finding.worsen(if lost { DESTRUCTIVE } else { UNKNOWN }.finding());
        } else if command.is_fed {
            finding.worsen(UNKNOWN_RED.because("runs commands that can't be seen here").finding());
        }
    }
    if let Some(outside) = elsewhere(command, &["-h", "-u"]) {
        finding.worsen(outside);
    }
    finding
}

fn tool(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let text: Vec<&str> = args::texts(command).collect();
    let mut finding = RUNS_CODE.finding();
    if text.iter().any(|text| {
        matches!(
            *text,
            "removenode"
                | "decommission"
                | "clearsnapshot"
                | "stopdaemon"
                | "drain"
                | "assassinate"
                | "--drop-source"
                | "--overwrite-tables"
                | "expire"
                | "delete"
        )
    }) {
        finding.worsen(DESTRUCTIVE.finding());
    }
    if text.contains(&"stop") || text.contains(&"restart") {
        finding.worsen(UNKNOWN_RED.because("stops a database server").finding());
    }
    if let Some(outside) = elsewhere(command, &["-h", "--host", "-d", "--dbname"])
        .filter(|outside| outside.hosts.iter().any(|host| host.contains(['.', '$'])))
    {
        finding.worsen(outside);
    }
    finding
}

fn restore(command: &Command) -> Finding {
    if args::has(command, &["-c", "--clean", "--if-exists"])
        || args::texts(command).any(|text| text.len() > 3 && "--clean".starts_with(text))
    {
        return DESTRUCTIVE.because("drops what it restores").finding();
    }
    let only_lists = args::has(command, &["-l", "--list"]);
    let mut finding =
        if only_lists { UNKNOWN } else { UNKNOWN_RED.because("writes into a database") }.finding();
    if let Some(outside) = elsewhere(command, &["-h", "--host"]) {
        finding.worsen(outside);
    }
    finding
}

fn admin(command: &Command) -> Finding {
    let mut finding = UNKNOWN.finding();
    for text in args::texts(command) {
        match text {
            "drop" | "shutdown" | "kill" | "stop-slave" | "stop-replica" => {
                finding.worsen(DESTRUCTIVE.because("drops a database or stops its server").finding())
            }
            "password" | "flush-privileges" | "reload" | "refresh" | "flush-hosts" | "flush-tables"
            | "flush-logs" => finding.worsen(UNKNOWN_RED.finding()),
            _ => {}
        }
    }
    if let Some(outside) = elsewhere(command, &["-h", "--host"]) {
        finding.worsen(OUTSIDE_ASKS.finding());
        finding.hosts.extend(outside.hosts);
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};
    use crate::classify::word::Word;

    fn words(words: &[&str]) -> Command {
        Command { words: words.iter().map(|word| Word::plain(word)).collect(), ..command("x") }
    }

    #[test]
    fn a_statement_that_loses_data_is_destructive_in_every_client() {
        for line in [
            &["psql", "-c", "DROP TABLE users"][..],
            &["psql", "-cDROP TABLE users"],
            &["psql", "--command=truncate t"],
            &["mysql", "-u", "root", "-e", "DROP DATABASE shop"],
            &["clickhouse-client", "-q", "ALTER TABLE t DELETE WHERE 1"],
            &["cqlsh", "-e", "DROP KEYSPACE k"],
        ] {
            let finding = server(&words(line));
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{line:?}");
        }
        assert_eq!(file(&words(&["sqlite3", "app.db", "DELETE FROM users;"])).class, Class::Destructive);
        assert_eq!(file(&words(&["sqlite3", "app.db", ".restore old.db"])).class, Class::Destructive);
        assert_eq!(
            mongo(&words(&["mongosh", "app", "--eval", "db.dropDatabase()"])).class,
            Class::Destructive
        );
        assert_eq!(mongo(&words(&["mongorestore", "--drop", "dump"])).class, Class::Destructive);
        for line in
            ["redis-cli FLUSHALL", "redis-cli -n 1 del k", "redis-cli --odd x flushdb", "redis-cli SHUTDOWN"]
        {
            assert_eq!(redis(&command(line)).class, Class::Destructive, "{line}");
        }
        assert_eq!(restore(&command("pg_restore --clean -d a x.dump")).class, Class::Destructive);
        assert_eq!(admin(&command("mysqladmin -f drop shop")).class, Class::Destructive);
    }

    #[test]
    fn a_look_at_a_local_database_is_yellow() {
        assert_eq!(server(&words(&["psql", "-c", "SELECT 1"])).level, Level::Yellow);
        assert_eq!(server(&words(&["psql", "-h", "localhost", "-c", "SELECT 1"])).level, Level::Yellow);
        assert_eq!(server(&words(&["psql", "-f", "migrations/001.sql"])).level, Level::Yellow);
        assert_eq!(file(&words(&["sqlite3", "app.db", "SELECT count(*) FROM users"])).level, Level::Yellow);
        assert_eq!(redis(&command("redis-cli GET session:1")).level, Level::Yellow);
    }

    #[test]
    fn a_server_elsewhere_is_the_network() {
        for line in [
            &["psql", "-h", "db.prod.test", "-c", "SELECT 1"][..],
            &["psql", "postgres://u@db.prod.test/app", "-c", "SELECT 1"],
            &["psql", "host=db.prod.test dbname=app"],
            &["mysql", "-hdb.prod.test", "-e", "SELECT 1"],
        ] {
            let finding = server(&words(line));
            assert_eq!(finding.level, Level::Red, "{line:?}");
            assert_eq!(finding.hosts, ["db.prod.test"], "{line:?}");
        }
        assert_eq!(redis(&command("redis-cli -h r.prod.test GET a")).level, Level::Red);
    }

    #[test]
    fn statements_that_are_piped_in_are_red_unless_they_can_be_read() {
        let mut line = command("psql");
        line.is_fed = true;
        assert_eq!(server(&line).level, Level::Red);
        line.fed_text = Some("SELECT 1".into());
        assert_eq!(server(&line).level, Level::Yellow);
        line.fed_text = Some("DROP SCHEMA public CASCADE".into());
        assert_eq!(server(&line).class, Class::Destructive);
    }
}
