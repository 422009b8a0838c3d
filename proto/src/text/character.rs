//! What single characters are: hidden, marks on other characters, or letters that can pose as Latin ones. The closed
//! lists hold what must never change; whatever else is invisible or unassigned is found by the standard library's tables,
//! scripts and look-alikes by Unicode's own (UAX #24, UTS #39).

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

/// A letter's script, as far as imitation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Chinese, Japanese and Korean, whose scripts stand together in one word.
    EastAsian,
    /// Any other.
    Other(unicode_script::Script),
}

impl Script {
    /// Whether its letters are so near to Latin ones that no word has letters of both.
    pub(super) const fn is_near(self) -> bool {
        match self {
            Self::Latin | Self::Cyrillic | Self::Greek | Self::Armenian | Self::Odd => true,
            Self::EastAsian | Self::Other(_) => false,
        }
    }
}

/// A letter's script, where it has one.
pub(super) fn script(c: char) -> Option<Script> {
    use unicode_script::{Script as S, UnicodeScript as _};
    if c.is_ascii() {
        return c.is_ascii_alphabetic().then_some(Script::Latin);
    }
    Some(match c.script() {
        S::Common | S::Inherited | S::Unknown => return None,
        S::Latin if is_odd_latin(c) => Script::Odd,
        S::Latin => Script::Latin,
        S::Cyrillic => Script::Cyrillic,
        S::Greek => Script::Greek,
        S::Armenian => Script::Armenian,
        S::Han | S::Hiragana | S::Katakana | S::Hangul | S::Bopomofo => Script::EastAsian,
        S::Cherokee
        | S::Coptic
        | S::Lisu
        | S::Deseret
        | S::Warang_Citi
        | S::Lycian
        | S::Lydian
        | S::Carian
        | S::Old_Italic
        | S::Gothic
        | S::Elbasan
        | S::Old_Permic
        | S::Runic
        | S::Osage
        | S::Glagolitic
        | S::Canadian_Aboriginal
        | S::Tifinagh
        | S::Vai
        | S::Bamum
        | S::Miao
        | S::Old_Hungarian
        | S::Old_Turkic => Script::Odd,
        other => Script::Other(other),
    })
}

/// Latin letters that look just like one of ASCII, and that no living orthography has but those kept here: Turkish and
/// Icelandic.
fn is_odd_latin(c: char) -> bool {
    !matches!(c, '\u{131}' | '\u{de}' | '\u{fe}')
        && (matches!(c, '\u{251}' | '\u{261}' | '\u{269}' | '\u{1d00}'..='\u{1d25}')
            || prototype(c).is_some())
}

/// Whether a letter of another script looks like a letter, a digit or a sign of ASCII.
pub(super) fn is_twin(c: char) -> bool {
    imitated(c).is_some()
}

/// What a letter of another script looks like.
pub(super) fn imitated(c: char) -> Option<char> {
    if c.is_ascii() || matches!(script(c), None | Some(Script::Latin)) {
        return None;
    }
    prototype(c).or_else(|| listed_twin(c))
}

/// Whether a sign of a script of its own looks like one of ASCII.
pub(super) fn is_sign_twin(c: char) -> bool {
    !c.is_alphanumeric()
        && script(c).is_some()
        && prototype(c).is_some_and(|sign| sign.is_ascii_punctuation())
}

/// The one character of ASCII that Unicode's table of confusable characters gives for another one.
fn prototype(c: char) -> Option<char> {
    // Most of what is written in Chinese looks like nothing else, and there is much of it.
    if c.is_ascii() || (matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') && !is_stroke(c)) {
        return None;
    }
    let mut buffer = [0; 4];
    let mut skeleton = unicode_security::skeleton(c.encode_utf8(&mut buffer)).map(|c| c.to_ascii_lowercase());
    skeleton.next().filter(|first| first.is_ascii_graphic() && skeleton.next().is_none())
}

const fn is_stroke(c: char) -> bool {
    matches!(c, '丅' | '丫' | '丶' | '丿')
}

/// Twins that the table spells with several characters, or not at all.
const fn listed_twin(c: char) -> Option<char> {
    Some(match c {
        'Х' | 'х' => 'x',
        'Ԝ' | 'ԝ' => 'w',
        'ո' => 'n',
        'ս' => 'u',
        'հ' => 'h',
        'յ' => 'j',
        'ց' => 'g',
        'զ' => 'q',
        'Տ' => 's',
        'Լ' => 'l',
        'З' => '3',
        '\u{1d00}' => 'a',
        '\u{1d07}' => 'e',
        '\u{1d0a}' => 'j',
        '\u{1d0b}' => 'k',
        '\u{1d0d}' => 'm',
        '\u{1d18}' => 'p',
        '\u{1d1b}' => 't',
        _ => return None,
    })
}

/// Whether a character can be followed by the sign that makes it an emoji.
pub(super) fn is_emoji(c: char) -> bool {
    use unicode_properties::UnicodeEmoji as _;
    !c.is_ascii() && c.is_emoji_char()
}

/// Whether a letter of Arabic joins the one behind it, so that a sign between them that parts them is seen.
pub(super) const fn joins_next(c: char) -> bool {
    matches!(c, '\u{620}' | '\u{626}' | '\u{628}' | '\u{62a}'..='\u{62e}' | '\u{633}'..='\u{63f}'
        | '\u{641}'..='\u{647}' | '\u{649}' | '\u{64a}' | '\u{66e}' | '\u{66f}' | '\u{678}'..='\u{687}'
        | '\u{69a}'..='\u{6bf}' | '\u{6c1}' | '\u{6c2}' | '\u{6cc}' | '\u{6ce}' | '\u{6d0}' | '\u{6d1}'
        | '\u{6fa}'..='\u{6fc}')
}

/// Letters of Arabic.
pub(super) const fn is_arabic(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{6d5}' | '\u{6fa}'..='\u{6ff}')
}

/// The signs of Indian scripts that join two letters, whose look a joiner behind them changes.
pub(super) const fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
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
        | '\u{2160}'..='\u{217f}' | '\u{fb00}'..='\u{fb06}' | '\u{1ccd6}'..='\u{1ccf9}'
        | '\u{1d400}'..='\u{1d7ff}' | '\u{1fbf0}'..='\u{1fbf9}')
        || (!c.is_alphanumeric()
            && script(c).is_none()
            && !is_ordinary_sign(c)
            && prototype(c).is_some_and(|sign| sign.is_ascii_punctuation()))
}

/// Signs that look like one of ASCII and that people write: quotes, dashes, primes, accents, wide punctuation, frames.
const fn is_ordinary_sign(c: char) -> bool {
    matches!(c,
        '\u{a1}' | '\u{b4}' | '\u{b8}' | '\u{d7}' | '\u{2b9}'..='\u{2bf}' | '\u{2c6}'..='\u{2ca}' | '\u{384}'
        | '\u{5be}'..='\u{5f4}' | '\u{60c}' | '\u{640}' | '\u{964}' | '\u{965}' | '\u{1fbd}'..='\u{1ffe}'
        | '\u{2013}'..='\u{2015}' | '\u{2018}'..='\u{201f}' | '\u{2026}' | '\u{2032}'..='\u{2037}'
        | '\u{2039}' | '\u{203a}' | '\u{2500}'..='\u{257f}' | '\u{276e}' | '\u{276f}' | '\u{2795}' | '\u{2796}'
        | '\u{3001}'..='\u{303f}' | '\u{30a0}' | '\u{30fb}' | '\u{ff01}'..='\u{ff1f}')
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
