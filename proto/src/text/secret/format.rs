//! Tokens that are told by their form: what their maker puts in front of them. One line a form, with its reason.

use super::{
    Secret,
    scan::{Scan, is_alnum},
    value,
};

/// What a token's body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Alnum,
    /// Capitals and digits.
    Upper,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Those and `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, `_`, `-`.
    Base64,
    /// Dotted and `/`.
    Path,
}

impl Body {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => is_alnum(byte),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Url => is_alnum(byte) || matches!(byte, b'_' | b'-'),
            Self::Dotted => is_alnum(byte) || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => is_alnum(byte) || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Self::Path => is_alnum(byte) || matches!(byte, b'_' | b'-' | b'.' | b'/'),
        }
    }
}

/// A form: prefix, body, the least length of the body, what it is.
struct Form(&'static str, Body, usize, &'static str);

const FORMS: [Form; 103] = [
    Form("AKIA", Body::Upper, 16, "AWS access key"), // long-term key ids; with the secret beside them they are the account
    Form("ASIA", Body::Upper, 16, "AWS access key"), // temporary key ids of the same kind
    Form("ABSK", Body::Base64, 60, "AWS Bedrock key"), // API keys for Bedrock
    Form("bedrock-api-key-", Body::Base64, 20, "AWS Bedrock key"), // short-term API keys for Bedrock
    Form("ghp_", Body::Alnum, 20, "GitHub token"),   // classic personal tokens
    Form("gho_", Body::Alnum, 20, "GitHub token"),   // OAuth tokens
    Form("ghu_", Body::Alnum, 20, "GitHub token"),   // a GitHub App's tokens for a user
    Form("ghs_", Body::Dotted, 20, "GitHub token"),  // a GitHub App's own tokens, and those of a workflow
    Form("ghr_", Body::Alnum, 20, "GitHub token"),   // refresh tokens
    Form("github_pat_", Body::Url, 22, "GitHub token"), // fine-grained personal tokens
    Form("glpat-", Body::Dotted, 16, "GitLab token"), // personal, project and group tokens
    Form("gldt-", Body::Dotted, 16, "GitLab token"), // deploy tokens
    Form("glrt-", Body::Dotted, 16, "GitLab token"), // runner tokens
    Form("glrtr-", Body::Dotted, 16, "GitLab token"), // runner registration
    Form("glptt-", Body::Dotted, 16, "GitLab token"), // pipeline triggers
    Form("glcbt-", Body::Dotted, 16, "GitLab token"), // CI jobs
    Form("glft-", Body::Dotted, 16, "GitLab token"), // feeds
    Form("glsoat-", Body::Dotted, 16, "GitLab token"), // SCIM
    Form("glimt-", Body::Dotted, 16, "GitLab token"), // incoming mail
    Form("glagent-", Body::Dotted, 16, "GitLab token"), // Kubernetes agents
    Form("gloas-", Body::Dotted, 16, "GitLab token"), // OAuth application secrets
    Form("GR1348941", Body::Url, 16, "GitLab token"), // older runner registration
    Form("xoxb-", Body::Url, 10, "Slack token"),     // bots
    Form("xoxp-", Body::Url, 10, "Slack token"),     // users
    Form("xoxa-", Body::Url, 10, "Slack token"),     // older apps
    Form("xoxr-", Body::Url, 10, "Slack token"),     // refresh
    Form("xoxs-", Body::Url, 10, "Slack token"),     // sessions
    Form("xoxc-", Body::Url, 10, "Slack token"),     // browser sessions
    Form("xoxd-", Body::Base64, 10, "Slack token"),  // the cookie of a browser session
    Form("xoxe-", Body::Url, 10, "Slack token"),     // refresh of rotated tokens
    Form("xoxe.", Body::Dotted, 10, "Slack token"),  // rotated tokens
    Form("xapp-", Body::Url, 10, "Slack token"),     // app-level tokens
    Form("hooks.slack.com/services/", Body::Path, 20, "Slack webhook"), // who knows it may post
    Form("discord.com/api/webhooks/", Body::Path, 20, "Discord webhook"), // who knows it may post
    Form("discordapp.com/api/webhooks/", Body::Path, 20, "Discord webhook"), // the same under its older name
    Form("sk_live_", Body::Alnum, 10, "Stripe key"), // secret keys; those beginning with pk are public
    Form("sk_test_", Body::Alnum, 10, "Stripe key"), // secret keys of test mode
    Form("rk_live_", Body::Alnum, 10, "Stripe key"), // restricted keys
    Form("rk_test_", Body::Alnum, 10, "Stripe key"), // restricted keys of test mode
    Form("whsec_", Body::Base64, 16, "Stripe webhook secret"), // signs what a webhook gets
    Form("AIza", Body::Url, 35, "Google API key"),   // 39 characters
    Form("AQ.Ab", Body::Url, 30, "Google API key"),  // keys bound to a service account
    Form("ya29.", Body::Dotted, 20, "Google access token"), // OAuth access tokens
    Form("GOCSPX-", Body::Url, 20, "Google client secret"), // OAuth clients
    Form("1//0", Body::Url, 40, "Google refresh token"), // OAuth refresh tokens
    Form("sk-ant-", Body::Url, 16, "Anthropic key"), // API, admin and OAuth keys
    Form("sk-proj-", Body::Url, 16, "OpenAI key"),   // project keys
    Form("sk-svcacct-", Body::Url, 16, "OpenAI key"), // service accounts
    Form("sk-admin-", Body::Url, 16, "OpenAI key"),  // administration
    Form("sk-or-", Body::Url, 20, "OpenRouter key"), // API keys
    Form("sk-", Body::Alnum, 32, "API key"),         // OpenAI's first form, which others took over
    Form("gsk_", Body::Alnum, 32, "Groq key"),       // API keys
    Form("xai-", Body::Alnum, 40, "xAI key"),        // API keys
    Form("pplx-", Body::Alnum, 32, "Perplexity key"), // API keys
    Form("r8_", Body::Alnum, 32, "Replicate token"), // API tokens
    Form("hf_", Body::Alnum, 30, "Hugging Face token"), // user tokens
    Form("npm_", Body::Alnum, 30, "npm token"),      // access tokens
    Form("pypi-", Body::Url, 40, "PyPI token"),      // upload tokens
    Form("rubygems_", Body::Hex, 32, "RubyGems key"), // API keys
    Form("cio", Body::Alnum, 32, "crates.io token"), // 35 characters in all
    Form("CLOJARS_", Body::Hex, 40, "Clojars token"), // deploy tokens
    Form("oy2", Body::Alnum, 43, "NuGet key"),       // 46 characters in all
    Form("dckr_pat_", Body::Url, 20, "Docker token"), // personal tokens
    Form("dckr_oat_", Body::Url, 20, "Docker token"), // an organisation's tokens
    Form("dop_v1_", Body::Hex, 32, "DigitalOcean token"), // personal tokens
    Form("doo_v1_", Body::Hex, 32, "DigitalOcean token"), // OAuth
    Form("dor_v1_", Body::Hex, 32, "DigitalOcean token"), // refresh
    Form("shpat_", Body::Hex, 24, "Shopify token"),  // app access
    Form("shpss_", Body::Hex, 24, "Shopify secret"), // shared secrets
    Form("shpca_", Body::Hex, 24, "Shopify token"),  // custom apps
    Form("shppa_", Body::Hex, 24, "Shopify token"),  // private apps
    Form("SK", Body::Hex, 32, "Twilio key"),         // 34 characters in all
    Form("SG.", Body::Dotted, 50, "SendGrid key"),   // two parts behind the prefix
    Form("key-", Body::Hex, 32, "Mailgun key"),      // private API keys
    Form("sq0csp-", Body::Url, 30, "Square secret"), // OAuth
    Form("sq0atp-", Body::Url, 20, "Square token"),  // access
    Form("dapi", Body::Hex, 32, "Databricks token"), // personal tokens
    Form("hvs.", Body::Url, 20, "Vault token"),      // service tokens
    Form("hvb.", Body::Url, 20, "Vault token"),      // batch tokens
    Form("hvr.", Body::Url, 20, "Vault token"),      // recovery tokens
    Form("lin_api_", Body::Alnum, 30, "Linear key"), // API keys
    Form("ntn_", Body::Alnum, 30, "Notion token"),   // integrations
    Form("figd_", Body::Url, 30, "Figma token"),     // personal tokens
    Form("ATATT3", Body::Base64, 40, "Atlassian token"), // API tokens
    Form("ATCTT3", Body::Base64, 40, "Bitbucket token"), // repository and workspace tokens
    Form("glsa_", Body::Url, 30, "Grafana token"),   // service accounts
    Form("glc_", Body::Base64, 30, "Grafana token"), // cloud access policies
    Form("NRAK-", Body::Upper, 20, "New Relic key"), // user keys
    Form("sntrys_", Body::Base64, 30, "Sentry token"), // an organisation's tokens
    Form("sntryu_", Body::Hex, 32, "Sentry token"),  // user tokens
    Form("pscale_", Body::Dotted, 30, "PlanetScale token"), // passwords, tokens, OAuth
    Form("sbp_", Body::Hex, 32, "Supabase token"),   // personal tokens
    Form("sb_secret_", Body::Url, 20, "Supabase key"), // secret keys; publishable ones are public
    Form("dp.pt.", Body::Alnum, 30, "Doppler token"), // personal tokens
    Form("dp.st.", Body::Dotted, 30, "Doppler token"), // service tokens
    Form("PMAK-", Body::Url, 40, "Postman key"),     // API keys
    Form("pul-", Body::Hex, 40, "Pulumi token"),     // access tokens
    Form("tskey-", Body::Url, 16, "Tailscale key"),  // auth, API and client keys
    Form("AGE-SECRET-KEY-1", Body::Upper, 50, "age key"), // identities
    Form("bkua_", Body::Hex, 32, "Buildkite token"), // user tokens
    Form("EAAC", Body::Alnum, 60, "Facebook token"), // access tokens
    Form("AKCp", Body::Alnum, 60, "Artifactory key"), // API keys
    Form("ops_eyJ", Body::Url, 60, "1Password token"), // service accounts
];

pub(super) fn find(text: &str) -> Vec<Secret> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < scan.len() {
        let is_start = scan.is_start(at);
        let begins = if is_start || scan.before(at) == b'_' { begins(scan, at, is_start) } else { None };
        match begins {
            Some((end, kind)) => {
                found.push(Secret { range: at..end, kind });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The end and the kind of the token that begins here, at the start of a word or behind a `_` in it.
fn begins(scan: Scan<'_>, at: usize, is_start: bool) -> Option<(usize, &'static str)> {
    let first = scan.at(at);
    let of_form = |form: &Form| {
        let &Form(prefix, body, least, kind) = form;
        if prefix.as_bytes().first() != Some(&first) || !scan.is_at(at, prefix) {
            return None;
        }
        let start = at + prefix.len();
        let end = scan.run(start, |byte| body.has(byte));
        let is_long = end - start >= least;
        // One whose prefix nothing else has may be part of a longer word.
        let is_whole = is_telling(prefix) || (is_start && (body != Body::Alnum || scan.at(end) != b'_'));
        // A prefix that is a word of its own needs a body that no word has.
        (is_long && is_whole && value::is_mixed(scan.text(start, end)) && fits(prefix, end - start))
            .then_some((end, kind))
    };
    match first {
        b'e' => web_token(scan, at),
        b'0'..=b'9' if is_start => bot_token(scan, at).or_else(|| FORMS.iter().find_map(of_form)),
        _ => FORMS.iter().find_map(of_form),
    }
}

/// Whether a prefix is no beginning of words.
fn is_telling(prefix: &str) -> bool {
    prefix.len() >= 4 && prefix != "key-" && prefix.contains(['_', '-', '.'])
}

/// Whether a form of exactly one length has it.
fn fits(prefix: &str, length: usize) -> bool {
    match prefix {
        "AKIA" | "ASIA" => length == 16,
        "cio" | "SK" | "key-" => length == 32,
        "dapi" => (32..=36).contains(&length),
        "oy2" => length == 43,
        _ => true,
    }
}

/// `header.body.signature`, each in base64, the first beginning as `{"` does.
fn web_token(scan: Scan<'_>, at: usize) -> Option<(usize, &'static str)> {
    if !scan.is_at(at, "eyJ") {
        return None;
    }
    let part = |from: usize| {
        let end = scan.run(from, |byte| Body::Url.has(byte));
        (end - from >= 10).then_some(end)
    };
    let header = part(at).filter(|end| scan.at(*end) == b'.')?;
    let body = part(header + 1).filter(|end| scan.at(*end) == b'.')?;
    // A token without a signature ends here and is none that anybody accepts, but what it says may be private.
    let end = scan.run(body + 1, |byte| Body::Url.has(byte));
    Some((end, "JSON web token"))
}

/// Telegram's bots: their number, a colon, 35 characters.
fn bot_token(scan: Scan<'_>, at: usize) -> Option<(usize, &'static str)> {
    let colon = scan.run(at, |byte| byte.is_ascii_digit());
    if !(8..=10).contains(&(colon - at)) || scan.at(colon) != b':' {
        return None;
    }
    let end = scan.run(colon + 1, |byte| Body::Url.has(byte));
    (end - colon == 36 && value::is_random(scan.text(colon + 1, end))).then_some((end, "Telegram bot token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_finds_its_own_tokens() {
        for Form(prefix, body, least, _) in &FORMS {
            let length = match *prefix {
                "cio" | "SK" | "key-" | "dapi" => 32,
                "AKIA" | "ASIA" => 16,
                "oy2" => 43,
                _ => *least,
            };
            let sample = match body {
                Body::Upper => "A1B2C3D4",
                Body::Hex => "a1b2c3d4",
                Body::Alnum | Body::Url | Body::Dotted | Body::Base64 | Body::Path => "aB3dE5gH",
            };
            let token = format!("{prefix}{}", sample.chars().cycle().take(length).collect::<String>());
            let found = find(&format!("x={token} y"));
            assert_eq!(found.len(), 1, "{token}");
            assert_eq!(found[0].range, 2..2 + token.len(), "{token}");
        }
    }
}
