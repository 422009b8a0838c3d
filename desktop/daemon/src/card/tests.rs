use countersign_ipc::control::{Block, DiffLine, Sign};

use super::*;

const TOKEN: &str = "ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C";

fn of_change(lines: Vec<DiffLine>) -> Block {
    Block::Diff { path: "/w/a".into(), new_file: false, added: 2, removed: 1, lines }
}

fn line(sign: Sign, text: &str) -> DiffLine {
    DiffLine { sign, text: text.to_owned() }
}

#[test]
fn a_change_keeps_its_lines_and_signs_when_it_is_masked() {
    let block = of_change(vec![
        line(Sign::Same, "@@ -1,1 +1,5 @@"),
        line(Sign::Removed, "-"),
        line(Sign::Added, "-----BEGIN PRIVATE KEY-----"),
        line(Sign::Added, "MIIEvQIBADANBg"),
        line(Sign::Added, "-----END PRIVATE KEY-----"),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Same, &format!("token = \"{TOKEN}\"")),
    ]);
    let Block::Diff { lines, added, removed, .. } = mask_block(block.clone()) else { panic!() };
    let Block::Diff { lines: before, .. } = block else { panic!() };
    assert_eq!((added, removed), (2, 1));
    let signs = |lines: &[DiffLine]| lines.iter().map(|line| line.sign).collect::<Vec<_>>();
    assert_eq!(signs(&lines), signs(&before));
    assert_eq!(lines[3].text, "⟨private key, 14 characters⟩");
    assert_eq!(lines[9].text, "token = \"⟨GitHub token, 40 characters⟩\"");
    assert_eq!(lines[0], before[0]);
}
