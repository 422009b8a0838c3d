//! What is shown, and what is not: hidden characters, look-alikes, floods, and ordinary text of every script.

use proptest::prelude::*;

use super::*;

#[test]
fn bidi_zero_width_and_control_characters_are_visible() {
    for c in
        ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{ad}', '\u{1b}', '\u{7f}', '\u{9b}', '\u{3164}']
    {
        let shown = Shown::lines(&format!("rm {c}x"));
        assert_eq!(shown.as_str(), format!("rm \\u{{{:x}}}x", u32::from(c)));
    }
    assert_eq!(Shown::line("a\nb\tc\rd").as_str(), "a\\nb\\tc\\rd");
    assert_eq!(Shown::lines("a\nb").as_str(), "a\nb");
}

#[test]
fn a_letter_that_imitates_latin_inside_a_latin_word_is_visible() {
    assert_eq!(Shown::line("раypal.example").as_str(), "\\u{440}\\u{430}ypal.example");
    assert_eq!(Shown::line("ｒｍ").as_str(), "\\u{ff52}\\u{ff4d}");
}

#[test]
fn ordinary_words_of_any_script_stay_readable() {
    for text in ["Привет, мир", "שלום עולם", "مرحبا بالعالم", "你好，世界", "Ünïcode naïve façade", "αβγ"]
    {
        assert_eq!(Shown::line(text).as_str(), text);
    }
}

#[test]
fn long_runs_of_nothing_are_shown_as_a_count() {
    assert_eq!(Shown::line(&format!("echo ok{}rm", " ".repeat(300))).as_str(), "echo ok ⟨300 blanks⟩ rm");
    assert_eq!(
        Shown::lines(&format!("echo ok{}curl", "\n".repeat(121))).as_str(),
        "echo ok\n⟨120 blank lines⟩\ncurl"
    );
    assert_eq!(Shown::lines("a\n\n\n    b").as_str(), "a\n\n\n    b");
    assert_eq!(Shown::line(&format!("a{}b", "\n".repeat(5))).as_str(), "a\\n⟨4 blank lines⟩\\nb");
    assert_eq!(Shown::line(&format!("a{}b", "\t".repeat(40))).as_str(), "a ⟨40 blanks⟩ b");
}

#[test]
fn a_text_tells_of_its_escapes_whoever_made_them_and_of_letters_that_turn_its_order() {
    let shown = Shown::line("rm \u{202e}x");
    assert!(shown.has_escapes() && Shown::line(shown.as_str()).has_escapes());
    for text in ["rm x", "a\nb", "printf '\\u{41}\\n\\x1b'", "\\u{", "\\u{110000000}"] {
        assert!(!Shown::line(text).has_escapes(), "{text}");
    }
    assert!(Shown::line("rm א 1").may_be_reordered() && Shown::line("cd /مرحبا/a").may_be_reordered());
    assert!(!Shown::line("rm я 字 é").may_be_reordered());
}

#[test]
fn bytes_that_are_no_text_are_visible() {
    assert_eq!(Shown::bytes(b"/tmp/\xff\xfe").as_str(), "/tmp/\\xff\\xfe");
}

#[test]
fn a_word_of_twins_is_visible_where_nothing_says_that_the_text_is_of_that_script() {
    assert_eq!(Shown::line("curl https://аррӏе.com").as_str(), {
        "curl https://\\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435}.com"
    });
    assert_eq!(Shown::line("rm сору").as_str(), "rm \\u{441}\\u{43e}\\u{440}\\u{443}");
    assert_eq!(
        Shown::line("Привет, а у вас? https://сор.com").as_str(),
        "Привет, а у вас? https://\\u{441}\\u{43e}\\u{440}.com"
    );
    assert_eq!(Shown::line("cat файл.txt").as_str(), "cat файл.txt");
}

#[test]
fn marks_that_flood_or_stand_on_nothing_are_visible() {
    assert_eq!(Shown::line("e\u{301}te\u{301}").as_str(), "e\u{301}te\u{301}");
    assert_eq!(Shown::line("a\u{301}\u{302}\u{303}\u{304}").as_str(), "a\u{301}\u{302}\u{303}\u{304}");
    assert_eq!(
        Shown::line(&format!("a{}", "\u{301}".repeat(5))).as_str(),
        format!("a{}", "\\u{301}".repeat(5))
    );
    for text in ["\u{338}", "x \u{338}", "x\u{200b}\u{338}", "x\\n\u{338}"] {
        assert!(!Shown::line(text).as_str().contains('\u{338}'), "{text:?}");
    }
    assert!(!Shown::lines("x\n\u{338}").as_str().contains('\u{338}'));
    assert_eq!(Shown::line("p\u{430}\u{301}y").as_str(), "p\\u{430}\\u{301}y");
}

#[test]
fn characters_that_imitate_the_syntax_of_commands_are_visible() {
    for c in [';', '`', '|', '/', '\\', ':', '.', '-', '!'] {
        assert_eq!(Shown::line(&c.to_string()).as_str(), c.to_string());
    }
    for c in "\u{37e}\u{1fef}\u{1c0}\u{2223}\u{2044}\u{2215}\u{29f8}\u{2216}\u{a789}\u{2024}\u{2010}\u{1c3}"
        .chars()
    {
        assert_eq!(Shown::line(&c.to_string()).as_str(), format!("\\u{{{:x}}}", u32::from(c)));
    }
    assert_eq!(Shown::line("1–2 — “так”, l’été…").as_str(), "1–2 — “так”, l’été…");
}

#[test]
fn a_line_break_before_a_foreign_word_is_escaped_alone() {
    assert_eq!(Shown::line("a\nпривет").as_str(), "a\\nпривет");
    assert_eq!(Shown::line("printf '\\tпривет'").as_str(), "printf '\\tпривет'");
}

#[test]
fn blank_lines_full_of_blanks_are_counted_as_lines() {
    let text = format!("a{}\nb", format!("\n{}", " ".repeat(50)).repeat(9));
    assert_eq!(Shown::lines(&text).as_str(), "a\n⟨9 blank lines⟩\nb");
    assert_eq!(Shown::lines(&format!("a\r\n{}b", "\r\n".repeat(9))).as_str(), "a\\r\n⟨9 blank lines⟩\nb");
}

#[test]
fn blank_lines_that_flood_a_change_are_shown_as_a_count_behind_their_sign() {
    let text = format!("@@\n a{}{}\n+b\n+\n-", "\n+".repeat(300), "\n-  ".repeat(4));
    assert_eq!(Shown::change(&text).as_str(), "@@\n a\n+⟨300 blank lines⟩\n-⟨4 blank lines⟩\n+b\n+\n-");
    assert_eq!(Shown::change("+a\n+\n+\n+\n b").as_str(), "+a\n+\n+\n+\n b");
}

/// What stays where it shapes what is around it, and is seen by that.
fn is_shaping(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{200c}' | '\u{200d}')
}

#[test]
fn emoji_and_the_joiners_of_persian_and_hindi_stay_readable_and_hide_nothing_elsewhere() {
    for text in [
        "I \u{2764}\u{fe0f} it 👍🏽 👨\u{200d}👩\u{200d}👧 1\u{fe0f}\u{20e3} ❤\u{fe0f}\u{200d}🔥 🇫🇷",
        "می\u{200c}خواهم برنامه\u{200c}ها",
        "क्\u{200d}ष क्ष हिन्दी में पाठ",
        "ภาษาไทย ไม่มีปัญหา",
        "தமிழ் ქართული አማርኛ ភាសាខ្មែរ",
        "日本語のテキスト、PCノート。ㅋㅋㅋ 안녕하세요 〇一二",
        "שלום, ו-API ו״כ",
        "Iğdır kapısı Þór œuvre straße Ærø Łódź đường",
        "├── src │ └── a.rs",
    ] {
        assert_eq!(Shown::line(text).as_str(), text);
    }
    for (text, shown) in [
        ("r\u{fe0f}m", "r\\u{fe0f}m"),
        ("r\u{200d}m", "r\\u{200d}m"),
        ("1\u{fe0f}2", "1\\u{fe0f}2"),
        ("a👍\u{200d}b", "a👍\\u{200d}b"),
        ("ر\u{200c}ا", "ر\\u{200c}ا"),
        ("❤\u{fe0e}", "❤\\u{fe0e}"),
        ("🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"),
    ] {
        assert_eq!(Shown::line(text).as_str(), shown);
    }
}

#[test]
fn look_alikes_of_every_script_are_visible_beside_ascii_and_names_of_commands_anywhere() {
    for text in [
        "b\u{5e1}b",
        "\u{13aa}url",
        "c\u{1d4be}d",
        "src\u{30ce}main",
        "1\u{966}0",
        "\u{a4da}\u{a4f4}\u{a4e3}\u{a4e1}",
        "https://a.example\u{5c3}80",
        "https:\u{29f8}\u{29f8}a.example",
        "x \u{a4fd} y",
    ] {
        assert!(Shown::line(text).as_str().is_ascii(), "{text}: {}", Shown::line(text).as_str());
    }
    assert_eq!(
        Shown::line("ср а б # Привет, мир").as_str(),
        "\\u{441}\\u{440} а б # Привет, мир",
        "a comment does not make it Russian"
    );
    assert_eq!(Shown::line("открой аррӏе.рф, да").as_str(), {
        "открой \\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435}.рф, да"
    });
    assert_eq!(Shown::line("Привет, а у вас есть роса?").as_str(), "Привет, а у вас есть роса?");
}

/// The default ignorable code points of Unicode 17, and what else is drawn as nothing.
#[test]
fn whatever_is_drawn_as_nothing_is_visible() {
    let ranges = [
        ('\u{ad}', '\u{ad}'),
        ('\u{34f}', '\u{34f}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{17b4}', '\u{17b5}'),
        ('\u{180b}', '\u{180f}'),
        ('\u{200b}', '\u{200f}'),
        ('\u{202a}', '\u{202e}'),
        ('\u{2060}', '\u{206f}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{fff0}', '\u{fffc}'),
        ('\u{1bca0}', '\u{1bca3}'),
        ('\u{1d173}', '\u{1d17a}'),
        ('\u{e0000}', '\u{e0fff}'),
        ('\u{2800}', '\u{2800}'),
        ('\u{16fe4}', '\u{16fe4}'),
        ('\u{13430}', '\u{13438}'),
    ];
    for c in ranges.into_iter().flat_map(|(first, last)| first..=last) {
        assert_eq!(Shown::lines(&format!("a{c}b")).as_str(), format!("a\\u{{{:x}}}b", u32::from(c)));
    }
}

/// Texts of what is most likely to go wrong together.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "n",
        "x",
        "u",
        "1",
        "р",
        "с",
        "ж",
        "ο",
        "β",
        "օ",
        "я",
        "é",
        "字",
        "\u{301}",
        "\u{338}",
        "\u{200b}",
        "\u{202e}",
        "\u{378}",
        "\u{e0041}",
        "\u{fe0f}",
        "ｒ",
        "\u{251}",
        "Ꭺ",
        "\n",
        "\r",
        "\t",
        " ",
        "\\",
        "\\n",
        "\\u{",
        "}",
        "\\u{301}",
        "\\xff",
        "-",
        ".",
        "⟨",
        "                                 ",
        "\n\n\n\n",
        "\u{301}\u{301}\u{301}\u{301}",
        "ノ",
        "ト",
        "ו",
        "ה",
        "ه",
        "ب",
        "\u{200c}",
        "\u{200d}",
        "❤",
        "👍",
        "क",
        "\u{94d}",
        "०",
        "\u{5c3}",
        "/",
        "@",
        "ср",
        "\u{20e3}",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn showing_twice_changes_nothing_and_leaves_nothing_hidden(text in prop_oneof![nasty(), any::<String>()]) {
        let once = Shown::lines(&text);
        prop_assert_eq!(&Shown::lines(once.as_str()), &once);
        prop_assert!(!once.as_str().chars().any(|c| is_hidden(c) && !is_shaping(c) && !matches!(c, '\n' | '\t')));
        let line = Shown::line(&text);
        prop_assert_eq!(&Shown::line(line.as_str()), &line);
        prop_assert!(!line.as_str().chars().any(|c| is_hidden(c) && !is_shaping(c)));
    }

    #[test]
    fn what_has_nothing_to_escape_is_shown_as_it_is(text in "[ -~]{0,30}( [ -~]{1,20}){0,3}") {
        let shown = Shown::line(&text);
        prop_assert_eq!(shown.as_str(), text.as_str());
        prop_assert!(!shown.differs_from(&text));
    }
}
