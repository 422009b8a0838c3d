//! Which one a person means by the beginning of an id.

use crate::trouble::Trouble;

/// The one id that begins so. `what` names the things: "waiting card".
pub fn pick<'a>(start: &str, what: &str, ids: impl Iterator<Item = &'a str>) -> Result<String, Trouble> {
    let start = start.to_ascii_lowercase();
    let found: Vec<&str> = ids.filter(|id| !start.is_empty() && id.starts_with(&start)).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Trouble::said(format!("There is no {what} `{start}`. Nothing was done."), "")),
        several => Err(Trouble::said(
            format!("`{start}` fits more than one {what}. Nothing was done."),
            format!("Give more of the id: {}", several.join(", ")),
        )),
    }
}

/// The beginning of an id that people see; long enough to tell 64 apart.
pub fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_an_id_is_enough_where_it_fits_one_only() {
        let ids = || ["abcd", "abff", "1234"].into_iter();
        assert_eq!(pick("12", "card", ids()).unwrap(), "1234");
        assert_eq!(pick("ABC", "card", ids()).unwrap(), "abcd");
        assert!(pick("ab", "card", ids()).unwrap_err().words().hint.contains("abcd, abff"));
        for none in ["", "x", "abcde"] {
            assert!(pick(none, "card", ids()).is_err(), "{none:?}");
        }
    }
}
