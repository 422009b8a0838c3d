//! What single characters are: hidden, marks on other characters, or letters that can pose as Latin ones. The closed
//! lists hold what must never change; whatever else is invisible or unassigned is found by the standard library's tables.

/// Whether a character hides, reorders or is easily taken for another one wherever it stands.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_control() } else { is_listed(c) || is_imitation(c) || is_unprintable(c) }
}

/// Whether a character has no place in a person's own words: it controls, breaks lines, reorders, or is there only to
/// hide something. Joiners, variation selectors and wide spaces are what ordinary keyboards type, so they may stay.
#[must_use]
pub fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}'
            | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{10ffff}')
}

/// Whether a character is written from right to left, so that a surface may draw what is around it in another order.
pub(super) const fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

/// Whether a character is drawn on the one before it.
pub(super) fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.escape_debug().len() > 1 && !is_unprintable(c)
}

/// Scripts whose letters can be taken for each other's within a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Script {
    /// What nearly every command is written in.
    Latin,
    /// Russian, Ukrainian, Serbian …
    Cyrillic,
    /// Greek with its accents.
    Greek,
    /// Armenian.
    Armenian,
    /// Letters that are hardly ever written but to imitate, and scripts rare enough to be treated so beside Latin.
    Odd,
}

/// A letter's script, where it is one of those.
pub(super) fn script(c: char) -> Option<Script> {
    match c {
        'A'..='Z' | 'a'..='z' => Some(Script::Latin),
        '\u{251}' | '\u{261}' | '\u{269}' | '\u{1d00}'..='\u{1d25}' => Some(Script::Odd),
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Some(Script::Latin),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Script::Greek),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(Script::Cyrillic),
        '\u{530}'..='\u{58f}' => Some(Script::Armenian),
        // Cherokee, Coptic, Lisu; Lycian to Gothic; Deseret; Warang Citi.
        '\u{13a0}'..='\u{13ff}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{2c80}'..='\u{2cff}'
        | '\u{a4d0}'..='\u{a4ff}'
        | '\u{10280}'..='\u{1034f}'
        | '\u{10400}'..='\u{1044f}'
        | '\u{118a0}'..='\u{118ff}' => Some(Script::Odd),
        _ => None,
    }
}

/// Whether a letter of another script looks just like a Latin letter.
pub(super) fn is_twin(c: char) -> bool {
    matches!(
        c,
        // Cyrillic
        'а' | 'е' | 'о' | 'р' | 'с' | 'у' | 'х' | 'ѕ' | 'і' | 'ј' | 'ѵ' | 'ԁ' | 'ԛ' | 'ԝ' | 'һ' | 'ӏ'
        | 'А' | 'В' | 'Е' | 'З' | 'К' | 'М' | 'Н' | 'О' | 'Р' | 'С' | 'Т' | 'У' | 'Х' | 'Ѕ' | 'І' | 'Ј'
        | 'Ѵ' | 'Ԛ' | 'Ԝ' | 'Һ' | 'Ӏ'
        // Greek
        | 'ο' | 'ν' | 'ρ' | 'ϲ' | 'ϳ'
        | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ' | 'Ϲ' | 'Ϳ'
        // Armenian
        | 'օ' | 'ո' | 'ս' | 'հ' | 'յ' | 'ց' | 'զ' | 'Օ' | 'Տ' | 'Ս' | 'Լ'
        // Phonetic letters and small capitals
        | '\u{251}' | '\u{261}' | '\u{269}' | '\u{1d00}'..='\u{1d25}'
    )
}

/// Invisible, blank, reordering: the list that no table of a later Unicode version may shorten.
fn is_listed(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}'
        | '\u{d7b0}'..='\u{d7ff}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{ffff}' | '\u{13430}'..='\u{1345f}' | '\u{16fe4}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

/// Drawn like a character of ASCII that has a meaning in commands, paths and addresses.
fn is_imitation(c: char) -> bool {
    matches!(c,
        // ; ` | / \ : . - ! * ~
        '\u{37e}' | '\u{1fef}' | '\u{2cb}' | '\u{1c0}' | '\u{2223}' | '\u{2758}' | '\u{2044}' | '\u{2215}'
        | '\u{2571}' | '\u{27cb}' | '\u{29f8}' | '\u{2216}' | '\u{2572}' | '\u{27cd}' | '\u{29f5}'
        | '\u{29f9}' | '\u{a789}' | '\u{2236}' | '\u{2d0}' | '\u{205a}' | '\u{2024}'
        | '\u{2010}'..='\u{2012}' | '\u{2043}' | '\u{2212}' | '\u{2d7}' | '\u{1c3}' | '\u{2217}'
        | '\u{204e}' | '\u{223c}' | '\u{2dc}'
        // Small and wide forms, but for the wide punctuation of Chinese and Japanese prose.
        | '\u{fe50}'..='\u{fe6b}' | '\u{ff00}' | '\u{ff02}'..='\u{ff07}' | '\u{ff0a}' | '\u{ff0b}'
        | '\u{ff0d}'..='\u{ff19}' | '\u{ff1c}'..='\u{ff1e}' | '\u{ff20}'..='\u{ff5e}' | '\u{ffe8}'
        // Letter-like symbols, Roman numerals, ligatures, mathematical letters.
        | '\u{2102}' | '\u{210a}'..='\u{2113}' | '\u{2115}' | '\u{2119}'..='\u{211d}' | '\u{2124}'
        | '\u{2128}' | '\u{212a}'..='\u{2131}' | '\u{2133}' | '\u{2134}' | '\u{2139}' | '\u{2145}'..='\u{2149}'
        | '\u{2160}'..='\u{217f}' | '\u{fb00}'..='\u{fb06}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Whether the standard library's tables call it unprintable: control, format, unassigned, private use, separators.
fn is_unprintable(c: char) -> bool {
    if c.escape_debug().len() == 1 {
        return false;
    }
    // After another character a mark is left as it is, so what is still escaped is unprintable.
    let mut text = String::from("a");
    text.push(c);
    text.escape_debug().nth(1) == Some('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case B-027, and the rest of CARD-2.
    #[test]
    fn every_character_known_to_hide_is_hidden() {
        let ranges = [
            ('\0', '\x1f'),
            ('\x7f', '\u{a0}'),
            ('\u{ad}', '\u{ad}'),
            ('\u{61c}', '\u{61c}'),
            ('\u{115f}', '\u{1160}'),
            ('\u{180e}', '\u{180e}'),
            ('\u{200b}', '\u{200f}'),
            ('\u{2028}', '\u{202e}'),
            ('\u{2060}', '\u{2064}'),
            ('\u{2066}', '\u{206f}'),
            ('\u{3164}', '\u{3164}'),
            ('\u{feff}', '\u{feff}'),
            ('\u{e000}', '\u{f8ff}'),
            ('\u{f0000}', '\u{f00ff}'),
            ('\u{10fff0}', '\u{10ffff}'),
            ('\u{e0000}', '\u{e01ef}'),
            ('\u{fe00}', '\u{fe0f}'),
        ];
        for c in ranges.into_iter().flat_map(|(first, last)| first..=last) {
            assert!(is_hidden(c), "U+{:04X}", u32::from(c));
        }
        for unassigned in
            ['\u{378}', '\u{530}', '\u{2fe0}', '\u{ffef}', '\u{1ffff}', '\u{4abcd}', '\u{dffff}']
        {
            assert!(is_hidden(unassigned), "U+{:04X}", u32::from(unassigned));
        }
    }

    #[test]
    fn all_that_is_blank_or_no_character_is_hidden_but_the_space() {
        for c in ('\0'..=char::MAX).filter(|c| *c != ' ') {
            let is_nothing = c.is_whitespace() || c.is_control() || (u32::from(c) & 0xfffe) == 0xfffe;
            assert!(is_hidden(c) || !is_nothing, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn no_mark_is_also_hidden_and_no_twin_is_latin() {
        for c in '\0'..=char::MAX {
            assert!(!is_mark(c) || c.is_ascii() || !is_unprintable(c), "U+{:04X}", u32::from(c));
            assert!(!is_twin(c) || script(c).is_some_and(|s| s != Script::Latin), "U+{:04X}", u32::from(c));
        }
        assert!(is_mark('\u{301}') && is_mark('\u{489}') && !is_mark('é') && !is_mark('\u{200b}'));
    }

    #[test]
    fn what_keyboards_type_is_no_control() {
        for c in "é ü ß 你 。 \u{3000} \u{a0} \u{202f} \u{200c} \u{200d} ❤\u{fe0f} 👍 １".chars() {
            assert!(!is_control(c), "U+{:04X}", u32::from(c));
        }
        for c in "\n\r\t\x1b\x7f\u{9b}\u{202e}\u{2066}\u{2028}\u{feff}\u{e0041}\u{ad}".chars() {
            assert!(is_control(c), "U+{:04X}", u32::from(c));
        }
    }
}
