//! Whether a name is that of a secret: `DB_PASSWORD`, `apiKey`, `client-secret`, `_authToken`.

/// Longest name that is looked at; a longer one is judged by its end.
pub(super) const LONGEST: usize = 64;

/// How surely a name's value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A password: short and of any form.
    Password,
    /// A token, a key, a secret: long.
    Key(&'static str),
    /// The credentials of a request: a scheme, then them.
    Header,
    /// Cookies of a request.
    Cookie,
    /// A name near to a secret's: its value is one where it looks random.
    Near,
}

impl Named {
    /// What the value is.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key(kind) => kind,
            Self::Header => "authorization",
            Self::Cookie => "cookie",
            Self::Near => "secret",
        }
    }
}

/// Last parts of a name, that a password has.
const PASSWORDS: [&str; 8] = ["password", "passwd", "passphrase", "pass", "pwd", "passcode", "pw", "pin"];
/// Ends of a last part that is written in one word: `PGPASSWORD`, `sshpass`.
const GLUED_PASSWORDS: [&str; 7] =
    ["password", "passwd", "passphrase", "sshpass", "dbpass", "userpass", "rootpass"];
/// Last parts, and ends of last parts, of other secrets.
const KEYS: [(&str, &str); 8] = [
    ("token", "token"),
    ("secret", "secret"),
    ("apikey", "API key"),
    ("secretkey", "secret key"),
    ("accesskey", "access key"),
    ("privatekey", "private key"),
    ("authkey", "key"),
    ("accountkey", "account key"),
];
/// What makes a `key` a secret when it stands before it.
const KEY_OF: [&str; 26] = [
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "master",
    "account",
    "shared",
    "service",
    "license",
    "app",
    "application",
    "session",
    "webhook",
    "deploy",
    "hmac",
    "jwt",
    "cipher",
    "subscription",
    "storage",
    "admin",
    "aes",
];
/// Last parts that make a name one of something about a secret, not of the secret.
const ABOUT: [&str; 44] = [
    "count",
    "counts",
    "limit",
    "length",
    "len",
    "size",
    "type",
    "kind",
    "name",
    "names",
    "id",
    "ids",
    "file",
    "files",
    "path",
    "dir",
    "url",
    "uri",
    "endpoint",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "timeout",
    "policy",
    "field",
    "label",
    "index",
    "ref",
    "version",
    "arn",
    "class",
    "usage",
    "budget",
    "max",
    "min",
    "hint",
    "prompt",
    "tokens",
    "store",
    "manager",
    "provider",
    "required",
    "enabled",
];
/// Parts of names whose values are secrets where they look random.
const NEAR: [&str; 9] =
    ["token", "secret", "secrets", "password", "credential", "credentials", "apikey", "auth", "sig"];
/// Parts in front of `key` that make it a public or a technical one.
const OTHER_KEYS: [&str; 12] = [
    "public",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "object",
    "row",
    "map",
    "hash",
    "host",
    "idempotency",
];
/// Parts that say where a secret is used, behind its name: `TOKEN_PROD`.
const WHERE: [&str; 15] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "test",
    "live",
    "old",
    "new",
    "value",
    "plain",
    "raw",
    "env",
    "b64",
    "base64",
];

/// What a name says of its value; `None` where nothing.
pub(super) fn of(name: &str) -> Option<Named> {
    let mut parts = parts(name);
    while parts.len() > 1
        && parts.last().is_some_and(|last| {
            WHERE.contains(&last.as_str()) || last.bytes().all(|byte| byte.is_ascii_digit())
        })
    {
        parts.pop();
    }
    let last = parts.last()?.as_str();
    let before = parts.len().checked_sub(2).and_then(|at| parts.get(at)).map_or("", String::as_str);
    let is = |words: &[&str], word: &str| words.contains(&word);
    match last {
        "authorization" => return Some(Named::Header),
        "cookie" => return Some(Named::Cookie),
        "auth" if before == "proxy" || before == "basic" => return Some(Named::Password),
        "signature" | "sig" => return Some(Named::Near),
        "pin" | "pw" if before.is_empty() => return None,
        _ if is(&ABOUT, last) => return None,
        _ => {}
    }
    if is(&PASSWORDS, last) || GLUED_PASSWORDS.iter().any(|end| last.ends_with(end)) {
        return Some(Named::Password);
    }
    if last == "key" {
        return match before {
            "api" => Some(Named::Key("API key")),
            "access" | "secret" => Some(Named::Key("secret key")),
            "private" => Some(Named::Key("private key")),
            _ if is(&KEY_OF, before) => Some(Named::Key("key")),
            _ if is(&OTHER_KEYS, before) || before.is_empty() => None,
            _ => Some(Named::Near),
        };
    }
    if let Some((_, kind)) = KEYS.iter().find(|(end, _)| last.ends_with(end)) {
        return Some(Named::Key(kind));
    }
    parts.iter().any(|part| is(&NEAR, part)).then_some(Named::Near)
}

/// A name's parts in small letters: `AWS_SecretKey2` is `aws secret key 2`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = '_';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let is_hump = c.is_ascii_uppercase()
            && (last.is_ascii_lowercase()
                || (last.is_ascii_uppercase() && chars.peek().is_some_and(char::is_ascii_lowercase)));
        let is_number = c.is_ascii_digit() && last.is_ascii_alphabetic();
        if !c.is_alphanumeric() {
            last = '_';
            continue;
        }
        if last == '_' || is_hump || is_number {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(c.to_ascii_lowercase());
        }
        last = c;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for name in
            ["password", "DB_PASSWORD", "PGPASSWORD", "userPassword", "spring.datasource.password", "pwd"]
        {
            assert_eq!(of(name), Some(Named::Password), "{name}");
        }
        for name in [
            "TOKEN",
            "GITHUB_TOKEN",
            "authToken",
            "_authToken",
            "client-secret",
            "apiKey",
            "API_KEY",
            "x-api-key",
            "aws_secret_access_key",
            "AccountKey",
            "APIKey",
            "TOKEN_PROD",
            "token2",
            "SECRET_KEY",
        ] {
            assert!(matches!(of(name), Some(Named::Key(_))), "{name} {:?}", of(name));
        }
        for name in ["secret_key_base", "GITHUB_DEPLOY_TOKEN_X", "tokens_of_ada"] {
            assert!(matches!(of(name), Some(Named::Near) | None), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_not() {
        for name in [
            "author",
            "tokenizer",
            "max_tokens",
            "token_count",
            "password_file",
            "secretName",
            "token_type",
            "key",
            "public_key",
            "cache-key",
            "keyboard",
            "passthrough",
            "compass",
            "secret_arn",
            "API_KEY_ID",
            "bypass",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
