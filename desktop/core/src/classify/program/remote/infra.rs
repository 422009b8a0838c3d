//! Infrastructure as code: it talks to providers even to plan, and takes things away to apply.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE},
    args,
    cli::{Cli, SERVICE},
};
use crate::classify::{finding::Finding, word::Command};

/// Infrastructure as code.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["terraform", "tofu", "opentofu", "terragrunt", "terraform-ls", "terramate", "atmos", "tfx"],
        does: Does::Code(|c, _| terraform(c)),
        why: "plans, applies and destroys; fmt and validate stay here",
    },
    Entry { names: &["pulumi"], does: Does::Code(|c, _| PULUMI.judge(c)), why: "the same" },
    Entry {
        names: &[
            "tflint", "tfsec", "checkov", "terrascan", "terraform-docs", "cfn-lint", "cfn-guard", "yamllint",
            "hadolint",
        ],
        does: Does::Always(RUNS_CODE),
        why: "checks files here",
    },
    Entry {
        names: &[
            "infracost", "spacectl", "env0", "scalr", "tfc", "tfe", "atlantis", "digger", "driftctl",
            "terracognita", "former2", "terraformer",
        ],
        does: Does::Code(|c, _| SERVICE.judge(c)),
        why: "talks to providers",
    },
    Entry {
        names: &["ansible", "ansible-playbook", "ansible-pull", "ansible-console", "ansible-runner"],
        does: Does::Code(|c, _| ansible(c)),
        why: "changes other machines",
    },
    Entry {
        names: &[
            "ansible-lint", "ansible-doc", "ansible-config", "ansible-inventory", "ansible-vault",
            "ansible-test", "molecule",
        ],
        does: Does::Always(RUNS_CODE),
        why: "works on files here",
    },
    Entry {
        names: &["ansible-galaxy"],
        does: Does::Always(RUNS_CODE),
        why: "installs roles, like a package manager",
    },
    Entry { names: &["packer"], does: Does::Code(|c, _| PACKER.judge(c)), why: "builds images at providers" },
];

const TERRAFORM: Cli = Cli {
    valued: &[],
    subs: &[
        ("fmt|validate|console|hclfmt|hclvalidate|version", RUNS_CODE),
        ("plan|show|output|graph|providers|init|get|refresh|metadata|test|hcl", NETWORK_READ_ASKS),
        ("state list|show|pull", NETWORK_READ_ASKS),
        ("workspace list|show", NETWORK_READ_ASKS),
        ("workspace new|select", OUTSIDE_ASKS),
        ("state rm|push|replace-provider", DESTRUCTIVE.because("loses what the state knows")),
        ("state mv", OUTSIDE_ASKS),
        ("destroy", DESTRUCTIVE.because("destroys cloud resources")),
        ("run-all|run plan|validate", NETWORK_READ_ASKS),
        ("run-all|run destroy", DESTRUCTIVE),
        ("workspace delete", DESTRUCTIVE),
        ("taint|untaint|import|force-unlock|login|logout|apply", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

fn terraform(command: &Command) -> Finding {
    // `-chdir=infra` stands in front; every option of it has its value behind `=`, and may be written with two dashes.
    let mut finding = TERRAFORM.judge(command);
    let replaces = args::texts(command)
        .any(|text| text.trim_start_matches('-').starts_with("replace=") && text.starts_with('-'));
    if replaces && args::texts(command).any(|text| text == "apply") {
        finding.worsen(DESTRUCTIVE.because("replaces a resource").finding());
    }
    finding
}

const PULUMI: Cli = Cli {
    valued: &["-C", "--cwd", "-s", "--stack", "--color"],
    subs: &[
        ("preview|about|whoami|version|logs|watch", NETWORK_READ_ASKS),
        ("stack|stack ls|output|history|export", NETWORK_READ_ASKS),
        ("config get", NETWORK_READ_ASKS),
        ("stack ls|output|history|export|graph", NETWORK_READ_ASKS),
        ("config|stack rm", DESTRUCTIVE),
        ("state delete", DESTRUCTIVE),
        ("destroy|down|dn", DESTRUCTIVE.because("destroys cloud resources")),
        ("up|update|refresh|cancel|import|new", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

const PACKER: Cli =
    Cli { subs: &[("fmt|validate|inspect|version", RUNS_CODE), ("build", OUTSIDE_ASKS)], ..SERVICE };

fn ansible(command: &Command) -> Finding {
    if args::has(command, &["--syntax-check", "--list-hosts", "--list-tasks"]) {
        return RUNS_CODE.finding();
    }
    let mut finding = OUTSIDE_ASKS.because("changes other machines").finding();
    let text: Vec<_> = args::texts(command).collect();
    if text
        .iter()
        .any(|text| text.contains("state=absent") || text.contains("rm -r") || text.contains("rm -f"))
    {
        finding.worsen(DESTRUCTIVE.finding());
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn planning_reads_from_outside_and_applying_acts_there() {
        for (line, class, level) in [
            ("terraform plan", Class::ReadExternal, Level::Red),
            ("terraform init", Class::ReadExternal, Level::Red),
            ("terraform apply -auto-approve", Class::External, Level::Red),
            ("terraform apply -destroy", Class::Destructive, Level::Red),
            ("terraform apply --destroy", Class::Destructive, Level::Red),
            ("terraform plan -destroy", Class::Destructive, Level::Red),
            ("terraform -chdir=infra destroy", Class::Destructive, Level::Red),
            ("terraform apply -replace=aws_instance.a", Class::Destructive, Level::Red),
            ("terraform state rm aws_s3_bucket.a", Class::Destructive, Level::Red),
            ("terraform workspace delete prod", Class::Destructive, Level::Red),
            ("terragrunt run-all destroy", Class::Destructive, Level::Red),
            ("terraform fmt", Class::Unknown, Level::Yellow),
            ("terraform validate", Class::Unknown, Level::Yellow),
        ] {
            let finding = terraform(&command(line));
            assert_eq!((finding.class, finding.level), (class, level), "{line}");
        }
        for (line, class) in [
            ("pulumi preview", Class::ReadExternal),
            ("pulumi up --yes", Class::External),
            ("pulumi destroy --yes", Class::Destructive),
            ("pulumi stack rm prod", Class::Destructive),
        ] {
            assert_eq!(PULUMI.judge(&command(line)).class, class, "{line}");
        }
    }

    #[test]
    fn playbooks_change_other_machines() {
        assert_eq!(ansible(&command("ansible-playbook site.yml")).class, Class::External);
        assert_eq!(ansible(&command("ansible all -m file -a path=a,state=absent")).class, Class::Destructive);
    }
}
