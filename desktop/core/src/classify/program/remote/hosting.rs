//! Hosting and back-end services: deploys are `external`, and no line allows them.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE, SPEND},
    args,
    cli::{Cli, SERVICE},
};
use crate::classify::{finding::Finding, word::Command};

/// Hosting services.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["vercel", "vc", "now"],
        does: Does::Code(|c, _| VERCEL.judge(c)),
        why: "deploys without a word; buys domains",
    },
    Entry {
        names: &["netlify", "ntl", "netlify-cli"],
        does: Does::Code(|c, _| NETLIFY.judge(c)),
        why: "deploys sites",
    },
    Entry { names: &["heroku"], does: Does::Code(|c, _| HEROKU.judge(c)), why: "apps, dynos and add-ons" },
    Entry { names: &["fly", "flyctl"], does: Does::Code(|c, _| FLY.judge(c)), why: "apps and machines" },
    Entry {
        names: &["wrangler"],
        does: Does::Code(|c, _| WRANGLER.judge(c)),
        why: "Cloudflare's workers and stores",
    },
    Entry {
        names: &["firebase", "firebase-tools"],
        does: Does::Code(|c, _| FIREBASE.judge(c)),
        why: "deploys, and deletes by colon verbs",
    },
    Entry {
        names: &["supabase"],
        does: Does::Code(|c, _| supabase(c)),
        why: "a database here and elsewhere",
    },
    Entry {
        names: &[
            "railway", "render", "surge", "gh-pages", "deployctl", "koyeb", "northflank", "zeabur", "sevalla",
            "platform", "upsun", "pantheon", "terminus", "acquia", "cf", "cloudfoundry", "gigalixir",
            "scalingo", "clever", "platformsh", "begin", "edgio", "fastly", "cloudflare", "flarectl", "bunny",
            "akamai", "porkbun", "namecheap", "gandi", "dnscontrol", "octodns", "lexicon", "pagescms", "eas",
            "eas-cli", "expo-cli", "appcenter", "fastlane", "bitrise", "codemagic", "shorebird", "code-push",
            "browserstack", "saucectl", "checkly", "partykit", "fermyon", "cloudron", "pipedream", "val",
            "instatus", "hookdeck", "svix", "zapier", "retool", "webflow", "leapcell", "hop", "adaptable",
            "qovery", "encore", "defang", "flightcontrol",
        ],
        does: Does::Code(|c, _| HOSTS.judge(c)),
        why: "deploys or changes something public",
    },
];

const VERCEL: Cli = Cli {
    valued: &["-t", "--token", "-S", "--scope", "-A", "--local-config", "--cwd", "-Q", "--global-config"],
    subs: &[
        ("remove|rm", DESTRUCTIVE.because("removes deployments")),
        ("domains|dns|certs|env|project|projects|alias rm|remove", DESTRUCTIVE),
        ("domains buy", SPEND.because("buys a domain")),
        ("domains transfer-in", SPEND.because("buys a domain")),
        ("integration add", SPEND),
        ("list|ls|inspect|logs|whoami|help", NETWORK_READ_ASKS),
        ("domains|dns|certs|env|project|projects|alias|teams ls|list|inspect", NETWORK_READ_ASKS),
        ("build", RUNS_CODE),
        ("env pull", NETWORK_READ_ASKS.because("writes secrets to a file")),
    ],
    ..SERVICE
};

const NETLIFY: Cli = Cli {
    valued: &["--auth", "--site", "-s", "--filter"],
    subs: &[
        ("status|logs|sites:list|env:list|env:get|watch|open", NETWORK_READ_ASKS),
        ("sites:delete|env:unset|blobs:delete", DESTRUCTIVE),
        ("build|serve", RUNS_CODE),
    ],
    ..SERVICE
};

const HEROKU: Cli = Cli {
    valued: &["-a", "--app", "-r", "--remote", "-t", "--team"],
    subs: &[
        (
            "apps|ps|logs|config|releases|addons|domains|info|status|pg|pg:info|pg:backups|config:get",
            NETWORK_READ_ASKS,
        ),
        (
            "ps:scale|ps:resize|ps:type|dyno:scale|dyno:resize|addons:create|addons:upgrade|addons:plans:upgrade",
            SPEND.because("scales or adds something paid"),
        ),
        (
            "pg:reset|apps:destroy|pg:backups:delete|addons:destroy|domains:remove|config:unset|ps:kill",
            DESTRUCTIVE,
        ),
        ("pg:push|pg:copy|pg:backups:restore", DESTRUCTIVE.because("overwrites a database")),
        (
            "run|run:detached|ps:exec|pg:psql|create|apps:create|config:set|ps:restart|maintenance:on|rollback|git:remote",
            OUTSIDE_ASKS,
        ),
    ],
    ..SERVICE
};

const FLY: Cli = Cli {
    valued: &["-a", "--app", "-c", "--config", "-t", "--access-token", "-o", "--org", "-r", "--region"],
    subs: &[
        ("status|logs|info|version|auth|ping|dig|checks", NETWORK_READ_ASKS),
        ("auth login|logout|token", OUTSIDE_ASKS),
        ("scale", SPEND.because("scales something paid")),
        ("scale show", NETWORK_READ_ASKS),
        ("machine|machines|m run|create|start|clone|update", SPEND.because("starts something paid")),
        ("volume|volumes|vol create|extend|fork", SPEND.because("adds something paid")),
        (
            "postgres|pg|redis|mpg|mysql|tigris|storage|ips create|allocate-v4|attach",
            SPEND.because("adds something paid"),
        ),
        (
            "apps|machine|machines|m|volume|volumes|postgres|secrets|regions|releases list|ls|status|show",
            NETWORK_READ_ASKS,
        ),
        ("secrets unset", DESTRUCTIVE),
        ("suspend", OUTSIDE_ASKS),
        ("launch|deploy", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

const WRANGLER: Cli = Cli {
    valued: &["-c", "--config", "-e", "--env", "--cwd"],
    subs: &[
        ("dev|types|init|check", RUNS_CODE),
        ("tail|whoami|deployments|versions", NETWORK_READ_ASKS),
        ("kv:key|kv:namespace|kv:bulk delete", DESTRUCTIVE),
        ("d1 execute", OUTSIDE_ASKS),
        ("d1 time-travel", DESTRUCTIVE),
        ("versions deploy|upload", OUTSIDE_ASKS),
    ],
    ..SERVICE
};

const FIREBASE: Cli = Cli {
    valued: &["-P", "--project", "--token", "--account", "-c", "--config"],
    subs: &[
        ("projects:list|apps:list|functions:log|functions:list|hosting:sites:list", NETWORK_READ_ASKS),
        ("database:remove|firestore:delete|functions:delete|hosting:disable|database:set", DESTRUCTIVE),
        ("emulators:start|emulators:exec|serve", RUNS_CODE),
    ],
    ..SERVICE
};

const SUPABASE: Cli = Cli {
    valued: &["--workdir", "--project-ref", "--profile", "-p", "--password", "--db-url"],
    subs: &[
        ("init|start|status|gen", RUNS_CODE),
        ("db start|lint|diff|dump", RUNS_CODE),
        ("migration new|list", RUNS_CODE),
        ("test|stop|services", RUNS_CODE),
        ("db reset", DESTRUCTIVE.because("empties the database")),
        ("migration down|squash|repair", DESTRUCTIVE),
        ("projects create", SPEND),
        ("branches create", SPEND),
        ("db push", OUTSIDE_ASKS),
    ],
    ..SERVICE
};

fn supabase(command: &Command) -> Finding {
    let mut finding = SUPABASE.judge(command);
    if args::has(command, &["--linked", "--db-url", "--project-ref", "--project-id"]) {
        finding.worsen(OUTSIDE_ASKS.finding());
    }
    if args::texts(command).next() == Some("stop") && args::has(command, &["--no-backup"]) {
        finding.worsen(DESTRUCTIVE.because("drops the database without a backup").finding());
    }
    finding
}

const HOSTS: Cli = Cli {
    valued: &["-s", "--service", "-e", "--environment", "--token", "--project", "-p", "-a", "--app"],
    subs: &[
        ("logs|status|list|whoami|ls", NETWORK_READ_ASKS),
        ("down|delete", DESTRUCTIVE),
        ("d|ds|delete-org|delete-space", DESTRUCTIVE),
        ("match", OUTSIDE_ASKS),
    ],
    pays: true,
    otherwise: OUTSIDE_ASKS,
};

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};
    use crate::classify::facts::Reach;

    #[test]
    fn deploys_are_external_and_scaling_is_spending() {
        for (cli, line, class) in [
            (&VERCEL, "vercel", Class::External),
            (&VERCEL, "vercel deploy --prod", Class::External),
            (&VERCEL, "vercel --prod", Class::External),
            (&VERCEL, "vercel domains buy shop.test", Class::Spend),
            (&VERCEL, "vercel remove app --yes", Class::Destructive),
            (&VERCEL, "vercel env rm A", Class::Destructive),
            (&VERCEL, "vercel ls", Class::ReadExternal),
            (&NETLIFY, "netlify deploy --prod", Class::External),
            (&NETLIFY, "netlify sites:delete a", Class::Destructive),
            (&HEROKU, "heroku run rake db:migrate", Class::External),
            (&HEROKU, "heroku apps:destroy --app a --confirm a", Class::Destructive),
            (&HEROKU, "heroku pg:reset", Class::Destructive),
            (&HEROKU, "heroku ps:scale web=10", Class::Spend),
            (&HEROKU, "heroku addons:create heroku-postgresql", Class::Spend),
            (&HEROKU, "heroku logs --tail", Class::ReadExternal),
            (&FLY, "fly deploy", Class::External),
            (&FLY, "fly scale count 20", Class::Spend),
            (&FLY, "flyctl apps destroy a", Class::Destructive),
            (&FLY, "fly logs", Class::ReadExternal),
            (&WRANGLER, "wrangler deploy", Class::External),
            (&WRANGLER, "wrangler delete", Class::Destructive),
            (&WRANGLER, "wrangler d1 delete db", Class::Destructive),
            (&FIREBASE, "firebase deploy --only functions", Class::External),
            (&FIREBASE, "firebase firestore:delete --all-collections", Class::Destructive),
            (&HOSTS, "railway up", Class::External),
            (&HOSTS, "railway down", Class::Destructive),
        ] {
            let finding = cli.judge(&command(line));
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (class, Level::Red, Reach::Never),
                "{line}"
            );
        }
    }

    #[test]
    fn a_reset_of_a_database_is_destructive_and_a_local_start_only_runs_code() {
        assert_eq!(supabase(&command("supabase db reset")).class, Class::Destructive);
        assert_eq!(supabase(&command("supabase start")).level, Level::Yellow);
        assert_eq!(supabase(&command("supabase db diff --linked")).level, Level::Red);
        assert_eq!(supabase(&command("supabase db push")).class, Class::External);
    }
}
