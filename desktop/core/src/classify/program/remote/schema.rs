//! Migrations and tasks that empty a database, whatever starts them: `rails db:drop`, `prisma migrate reset`,
//! `php artisan migrate:fresh`, `manage.py flush`.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, RUNS_CODE},
    args,
    cli::{self, PROBE},
};
use crate::classify::{finding::Finding, word::Command};

/// Migration tools.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[Entry {
    names: &[
        "prisma", "prisma2", "alembic", "sequelize", "sequelize-cli", "knex", "typeorm",
        "typeorm-ts-node-commonjs", "typeorm-ts-node-esm", "mikro-orm", "drizzle-kit", "diesel", "sqlx",
        "sea-orm-cli", "refinery", "dbmate", "goose", "migrate", "golang-migrate", "flyway", "liquibase",
        "sqitch", "yoyo", "aerich", "db-migrate", "node-pg-migrate", "umzug", "graphile-migrate", "migra",
        "skeema", "gh-ost", "pt-online-schema-change", "pt-archiver", "dbt", "sqlmesh", "hasura", "phinx",
        "doctrine", "tern", "bytebase", "soda", "buffalo", "ef", "dotnet-ef", "evolve", "roundhouse", "dbup",
        "migrate-mongo", "mongo-migrate", "kysely", "shmig", "geni", "strapi", "payload", "directus",
        "medusa", "keystone", "redwood", "rw", "blitz", "adonis", "ace", "nest", "artisan", "console",
        "manage.py", "django-admin", "flask", "rails", "hanami", "lucky", "craft", "spark", "cake", "yii",
        "typo3", "magento", "bin/magento", "feathers", "loopback", "lb4", "sails", "masonite", "orator",
        "superset", "ckan", "odoo", "odoo-bin", "bench", "frappe",
    ],
    does: Does::Code(|c, _| migrates(c)),
    why: "runs the project's own code on a database; some verbs empty it",
}];

fn migrates(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let mut finding = RUNS_CODE.finding();
    if loses(command) || cli::has_destroying_option(command) {
        finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
    }
    finding
}

/// Words of one task that loses data: the tool's own spelling, in which colons, dots and dashes join.
#[rustfmt::skip] // rows of words
const TASKS: &[&str] = &[
    "db:drop", "db:reset", "db:purge", "db:rollback", "db:migrate:reset", "db:migrate:down",
    "db:migrate:redo", "db:migrate:undo", "db:truncate_all", "db:schema:load", "db:structure:load",
    "db:seed:replant", "db:test:purge", "db:setup:force", "db:wipe", "migrate:fresh", "migrate:reset",
    "migrate:refresh", "migrate:rollback", "schema:drop", "migration:revert", "migration:down",
    "database:drop", "doctrine:database:drop", "doctrine:schema:drop", "doctrine:fixtures:load",
    "doctrine:migrations:migrate:first", "ecto.drop", "ecto.reset", "ecto.rollback", "ash.reset",
    "ash_postgres.drop", "reset_db", "flush", "sqlflush", "dropdb", "drop-all", "dropall", "schema:fresh",
    "migration:fresh", "migrate:down", "migrate:rollback:all", "queue:clear", "queue:flush",
    "cache:clear:all", "scout:flush", "telescope:clear", "db:mongoid:drop", "db:mongoid:purge", "delete_all",
    "force-reset", "reset-db", "resetdb", "db:nuke", "db:clean", "db:clear", "db:delete", "db:destroy",
    "db:flush", "database:reset", "database:wipe", "drop:db", "reset:db", "clean-db", "drop-db",
    "dropdatabase", "drop_database", "delete-site", "drop-site", "reinstall",
];

/// Pairs of words, in this order, the second anywhere behind the first.
#[rustfmt::skip] // rows of words
const PAIRS: &[(&str, &[&str])] = &[
    (
        "migrate",
        &[
            "reset", "fresh", "refresh", "down", "drop", "rollback", "zero", "undo", "force", "revert",
            "clean",
        ],
    ),
    ("migration", &["revert", "reset", "down", "fresh", "drop", "rollback"]),
    ("migrations", &["reset", "fresh", "rollback", "revert", "drop"]),
    ("migrate:rollback", &["--all"]),
    (
        "db",
        &[
            "reset", "drop", "downgrade", "down", "rollback", "wipe", "purge", "clean", "flush", "truncate",
            "delete",
        ],
    ),
    ("database", &["drop", "reset", "delete", "wipe", "revert", "clear"]),
    ("schema", &["drop", "clean", "reset"]),
    ("metadata", &["clear"]),
    ("push", &["--force-reset", "--accept-data-loss", "--force"]),
];

/// Verbs that lose data by themselves, given the tool's name.
const VERBS: &[(&str, &[&str])] = &[
    ("alembic", &["downgrade"]),
    ("flyway", &["clean", "undo"]),
    (
        "liquibase",
        &["drop-all", "dropall", "rollback", "rollback-count", "rollbackcount", "rollback-to-date"],
    ),
    ("dbmate", &["drop", "down", "rollback"]),
    ("goose", &["down", "reset", "down-to", "redo"]),
    ("migrate", &["down", "drop", "force"]),
    ("golang-migrate", &["down", "drop"]),
    ("drizzle-kit", &["drop"]),
    ("sqitch", &["revert", "rebase"]),
    ("yoyo", &["rollback"]),
    ("aerich", &["downgrade"]),
    ("tern", &["migrate"]),
    ("phinx", &["rollback"]),
    ("db-migrate", &["down", "reset", "db:drop"]),
    ("node-pg-migrate", &["down", "redo"]),
    ("migrate-mongo", &["down"]),
    ("umzug", &["down"]),
    ("soda", &["drop", "reset"]),
    ("geni", &["down", "drop"]),
    ("pt-archiver", &["--purge"]),
    ("bench", &["reinstall", "drop-site"]),
    ("graphile-migrate", &["reset"]),
];

/// Whether any words of a command, the program's name among them, are a task that loses stored data. A version behind
/// the name (`prisma@5`) does not hide it.
pub(super) fn loses(command: &Command) -> bool {
    let words: Vec<String> = command
        .words
        .iter()
        .map(|word| {
            let last = word.text.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            last.split_once('@').map_or(last.clone(), |(name, _)| name.to_owned())
        })
        .collect();
    let is_task = words.iter().skip(1).any(|word| {
        let task = word.trim_start_matches('-');
        TASKS.contains(&task) || word.split(['[', ',']).next().is_some_and(|task| TASKS.contains(&task))
    });
    let follows = |first: &str, then: &[&str]| {
        words
            .iter()
            .position(|word| word == first)
            .is_some_and(|at| words.iter().skip(at + 1).any(|word| then.contains(&word.as_str())))
    };
    is_task || PAIRS.iter().chain(VERBS).any(|(first, then)| follows(first, then))
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn tasks_that_empty_a_database_are_destructive() {
        for line in [
            "prisma migrate reset --force",
            "prisma db push --accept-data-loss",
            "alembic downgrade base",
            "sequelize db:drop",
            "sequelize-cli db:migrate:undo",
            "knex migrate:rollback --all",
            "typeorm schema:drop",
            "diesel database reset",
            "sqlx database drop",
            "sea-orm-cli migrate fresh",
            "dbmate drop",
            "goose reset",
            "migrate -path m -database x down",
            "flyway clean",
            "liquibase dropAll",
            "rails db:drop",
            "rails db:migrate:reset",
            "django-admin flush",
            "flask db downgrade",
            "artisan migrate:fresh",
            "console doctrine:database:drop --force",
            "dotnet-ef database drop",
            "drizzle-kit drop",
        ] {
            let finding = migrates(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{line}");
        }
    }

    #[test]
    fn a_migration_forward_runs_code_and_no_more() {
        for line in [
            "prisma migrate dev",
            "prisma generate",
            "prisma db push",
            "alembic upgrade head",
            "rails db:migrate",
            "rails test",
            "knex migrate:latest",
            "diesel migration run",
            "flask run",
            "drizzle-kit generate",
            "dbt run",
        ] {
            let finding = migrates(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Yellow), "{line}");
        }
    }
}
