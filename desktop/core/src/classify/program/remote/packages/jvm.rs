//! The JVM's build tools: goals and tasks stand anywhere among the words, often several.

use super::{
    super::{
        super::entry::{DESTRUCTIVE, RUNS_CODE},
        args,
        cli::PROBE,
        schema,
    },
    is_short_probe,
    tables::PUBLISHES,
};
use crate::classify::{finding::Finding, word::Command};

/// Goals and tasks stand anywhere among the words, often several.
pub(super) fn judge(command: &Command) -> Finding {
    if args::is_probe(command) || is_short_probe(command) {
        return PROBE.finding();
    }
    let mut finding = RUNS_CODE.finding();
    finding.drivers = [
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "gradle/wrapper/gradle-wrapper.properties",
        "gradlew",
        "mvnw",
        "build.sbt",
        "project/build.properties",
        "project/plugins.sbt",
        "build.sc",
        "project.clj",
        "deps.edn",
        "build.xml",
        "MODULE.bazel",
        "WORKSPACE",
        "BUILD",
        "BUILD.bazel",
        ".bazelrc",
        ".mvn/maven.config",
        ".mvn/extensions.xml",
    ]
    .map(String::from)
    .to_vec();
    for text in args::texts(command) {
        let task = text.rsplit(':').next().unwrap_or(text).trim_start_matches('+').to_ascii_lowercase();
        let low = text.to_ascii_lowercase();
        let is_local = task.contains("local") || task.contains("dryrun");
        let publishes = [
            "publish",
            "deploy",
            "uploadarchives",
            "upload",
            "release",
            "closeandrelease",
            "bintray",
            "promote",
            "appdistribution",
            "jgitpush",
            "site-deploy",
        ]
        .iter()
        .any(|verb| task.starts_with(verb));
        let is_goal = !args::is_option(text) && !text.contains('/') && !text.contains('.');
        let is_plugin = [
            "release:",
            "deploy:",
            "nexus-staging:",
            "central-publishing:",
            "scm:",
            "wagon:",
            "jib:build",
            "docker:push",
            "heroku:",
            "appengine:",
            "versions:commit",
        ]
        .iter()
        .any(|plugin| low.contains(plugin));
        if is_goal && (publishes && !is_local || is_plugin) || text == "-T:deploy" {
            finding.worsen(PUBLISHES.finding());
        }
        if low.contains("flyway:clean")
            || low.contains("flywayclean")
            || low.contains("liquibase:dropall")
            || low.contains("dropall")
        {
            finding.worsen(DESTRUCTIVE.because("empties a database").finding());
        }
    }
    if schema::loses(command) {
        finding.worsen(DESTRUCTIVE.because("empties a database").finding());
    }
    finding
}
