//! Whether a value that stands where a secret could stand is one: not a reference to it, not a path, not an example.

/// Values that only stand for one, or say what kind it has.
const STAND_INS: [&str; 54] = [
    "true",
    "false",
    "none",
    "null",
    "nil",
    "undefined",
    "nan",
    "yes",
    "no",
    "on",
    "off",
    "string",
    "str",
    "text",
    "bytes",
    "bool",
    "boolean",
    "int",
    "integer",
    "number",
    "object",
    "array",
    "any",
    "optional",
    "required",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "key",
    "value",
    "bearer",
    "basic",
    "prompt",
    "ask",
    "stdin",
    "env",
    "file",
    "input",
    "default",
    "example",
    "hidden",
    "masked",
    "redacted",
    "empty",
    "missing",
    "invalid",
    "expired",
    "unset",
    "placeholder",
    "changeme",
    "plain",
    "self",
];
/// Beginnings of references, of templates, and of what was folded before.
const REFERENCES: [&str; 9] = ["$", "<", "{{", "{%", "⟨", "…", "[", "(", "@"];
/// Parts of templates.
const TEMPLATES: [&str; 4] = ["${", "$(", "{{", "process.env"];
/// Beginnings of paths.
const PATHS: [&str; 5] = ["/", "./", "../", "~/", "~\\"];
/// Ends of names of files.
const FILES: [&str; 10] = [".pem", ".key", ".crt", ".json", ".txt", ".yaml", ".yml", ".toml", ".env", ".rs"];

/// Whether a value is not itself a secret: empty, a reference, a template, an example.
pub(super) fn is_placeholder(value: &str) -> bool {
    let first = value.chars().next();
    let is_one_character = value.chars().all(|c| Some(c) == first);
    is_one_character
        || REFERENCES.iter().any(|start| value.starts_with(start))
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%'))
        || TEMPLATES.iter().any(|part| value.contains(part))
        || (value.len() <= 12 && STAND_INS.iter().any(|word| word.eq_ignore_ascii_case(value)))
        || is_example(value)
}

/// `your-token-here`, `xxxxxxxx-xxxx`, `...`.
fn is_example(value: &str) -> bool {
    let start = value.get(..5).map(str::to_ascii_lowercase).unwrap_or_default();
    matches!(start.as_str(), "your-" | "your_" | "my-se" | "my_se")
        || value.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '?'))
}

/// Whether a value is a path or names a file.
pub(super) fn is_path(value: &str) -> bool {
    PATHS.iter().any(|start| value.starts_with(start)) || FILES.iter().any(|end| value.ends_with(end))
}

/// Whether a value has a digit and a letter.
pub(super) fn is_mixed(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a value looks as if it was made by a machine: long, mixed, many different characters.
pub(super) fn is_random(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_of_two_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    value.len() >= 16
        && is_mixed(value)
        && different(value) >= 8
        && (is_of_two_cases || (value.len() >= 32 && is_hex) || value.len() >= 24)
}

fn different(value: &str) -> u32 {
    let mut seen = 0_u128;
    for byte in value.bytes().filter(u8::is_ascii) {
        seen |= 1 << byte;
    }
    seen.count_ones()
}
