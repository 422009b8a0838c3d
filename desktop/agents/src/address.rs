//! The host in a web address, for a headline. Named only where every reader of addresses would find the same one.

/// The host and port that `url` names; `None` where there could be two opinions.
pub(crate) fn host(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_a_browser_would_visit() {
        assert_eq!(host("https://docs.example/a?b#c"), Some("docs.example"));
        assert_eq!(host("http://127.0.0.1:8080/page"), Some("127.0.0.1:8080"));
        assert_eq!(host("https://bank.example@evil.example/"), Some("evil.example"));
        assert_eq!(host("https://good.example\\@evil.example/"), Some("good.example"));
        assert_eq!(host("HTTPS://[::1]:80"), Some("[::1]:80"));
    }

    #[test]
    fn an_address_with_two_readings_names_no_host() {
        for url in [
            "",
            "evil.example",
            "https:evil.example",
            "https:///evil.example",
            "file:///etc/passwd",
            "https://e%76il.example/",
            "https://evil.example\n/",
            "https://a b/",
            "javascript:alert(1)",
        ] {
            assert_eq!(host(url), None, "{url:?}");
        }
    }
}
