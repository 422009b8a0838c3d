//! Passwords and tokens before the `@` of an address: `postgres://ada:PASSWORD@host/db`.

use super::{Secret, scan::Scan, value};

/// From this length on, a user name alone that looks random is a token.
const TOKEN: usize = 20;

pub(super) fn find(text: &str) -> Vec<Secret> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("://")) {
        let start = from + at + 3;
        let end = scan.run(start, is_user_info);
        from = end.max(start);
        if let Some(secret) = text.get(start..end).and_then(|authority| of(start, authority)) {
            found.push(secret);
        }
    }
    found
}

/// What may stand before the path of an address. A `/` in a password is written `%2F`.
const fn is_user_info(byte: u8) -> bool {
    !matches!(byte, 0..=b' ' | b'/' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0x7f)
}

fn of(start: usize, authority: &str) -> Option<Secret> {
    let (user_info, _) = authority.rsplit_once('@')?;
    if let Some((user, password)) = user_info.split_once(':') {
        let start = start + user.len() + 1;
        let is_secret = !password.is_empty() && !value::is_placeholder(password);
        return is_secret.then_some(Secret { range: start..start + password.len(), kind: "password" });
    }
    let is_token = user_info.len() >= TOKEN && value::is_random(user_info);
    is_token.then_some(Secret { range: start..start + user_info.len(), kind: "token" })
}
