//! What a person sees of what others wrote: requests on a phone's card, and any text at all.

use countersign_mobile_core::card::{Card, Shape};
use countersign_proto::{
    id::{OfferId, RunId},
    limits,
    offer::{Offer, OpenedOffer},
    reply::Replies,
    request::{Block, Request},
    text::{Foreign, Part, Shown},
};

use super::{
    fixed::{assert_line, assert_lines, desktop, desktop_id, device_id, hides},
    form::assert_canonical,
};

/// A request's bytes: one form within limits, and a card that hides nothing and offers no more than was asked.
pub fn request(bytes: &[u8]) -> bool {
    let Ok(request) = Request::decode(bytes) else { return false };
    assert_eq!(request.encode(), bytes);
    assert_canonical(bytes);
    let questions = request.view.iter().filter(|block| matches!(block, Block::Question(_))).count();
    assert!(request.view.len() <= limits::VIEW_BLOCKS && questions <= limits::QUESTIONS);
    let offer = Offer {
        v: Offer::VERSION,
        offer_id: OfferId::new([1; 16]),
        desktop_id: desktop_id(),
        device_id: device_id(),
        offer_seq: 1,
        run_id: RunId::new([2; 16]),
        request: bytes.to_vec(),
        ttl_ms: 115_000,
        allowed: request.replies,
    };
    let Ok(opened) = offer.sign(&desktop()).open(&desktop().public(), &desktop_id(), &device_id()) else {
        return false;
    };
    assert_shown(&opened);
    true
}

/// Asserts that the card of an offer shows every text so that nothing hides, and allows no more than offer and request.
pub fn assert_shown(opened: &OpenedOffer) {
    let card = Card::new(opened);
    assert_eq!(card.blocks.len(), opened.request().view.len());
    assert!(card.allowed.is_within(opened.offer().allowed.and(opened.request().replies)));
    assert!(card.allowed.is_within(Replies::ALL));
    for line in [&card.headline, &card.agent, &card.tool, &card.session, &card.folder, &card.host, &card.mode]
        .into_iter()
        .chain(&card.subagent)
        .chain(&card.start_folder)
        .chain(&card.reasons)
        .chain([&card.why])
        .chain(&card.depends)
        .chain(&card.always)
    {
        assert_line(line);
    }
    card.line.iter().chain([&card.words]).for_each(assert_lines);
    card.blocks.iter().for_each(assert_block);
}

fn assert_block(block: &Shape) {
    match block {
        Shape::Command(text) => assert_lines(text),
        Shape::Diff { path, lines, .. } => {
            assert_line(path);
            assert_lines(lines);
        }
        Shape::File(text) | Shape::Url(text) => assert_line(text),
        Shape::Text { label, text } => {
            assert_line(label);
            assert_lines(text);
        }
        Shape::Question { tag, text, options, many: _ } => {
            assert_line(tag);
            assert_lines(text);
            options.iter().for_each(assert_line);
        }
    }
}

/// Any text: shown so that nothing hides, and showing it again changes nothing.
pub fn text(bytes: &[u8]) -> bool {
    assert_line(&Shown::bytes(bytes));
    let text = String::from_utf8_lossy(bytes);
    let (line, lines) = (Shown::line(&text), Shown::lines(&text));
    assert_line(&line);
    assert_lines(&lines);
    assert_eq!(Shown::lines(line.as_str()), line, "a line is also a text with lines");
    assert!(line.as_str().is_empty() == text.is_empty() && lines.as_str().is_empty() == text.is_empty());
    assert_eq!(Foreign::new(&*text).shown(), line);
    line.differs_from(&text)
}

/// Any text on a card and anywhere else: its pieces are the text, folding changes nothing that is no secret, and nothing
/// that is folded on a card is left in what is kept, sent or printed.
pub fn display(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut found = 0;
    for shown in [Shown::line(&text), Shown::lines(&text), Shown::change(&text)] {
        let parts = shown.parts();
        let whole: String = parts.iter().map(unfolded).collect();
        assert_eq!(whole, shown.as_str(), "folding loses or adds text");
        let rows: Vec<String> =
            shown.rows().iter().map(|row| row.iter().map(unfolded).collect::<String>()).collect();
        assert_eq!(rows.join("\n"), shown.as_str(), "rows are not the lines");
        let secrets = parts.iter().filter(|part| matches!(part, Part::Secret(_))).count();
        assert_eq!(shown.secrets(), secrets);
        let masked = shown.masked();
        assert!(!masked.as_str().chars().any(|c| hides(c) && c != '\n' && c != '\t'));
        for part in &parts {
            let Part::Secret(secret) = part else { continue };
            // A short one may stand elsewhere as a word of its own, which names no secret.
            let before = shown.as_str().matches(secret.unfolded()).count();
            let folded: usize = parts
                .iter()
                .filter(|other| matches!(other, Part::Secret(other) if other.unfolded().contains(secret.unfolded())))
                .count();
            let after = masked.as_str().matches(secret.unfolded()).count();
            let is_told = secret.to_string().contains(secret.unfolded());
            assert!(
                after == 0 || after < before || folded == 0 || is_told,
                "{secret:?} comes out of {masked:?}"
            );
        }
        if secrets == 0 {
            assert_eq!(masked.as_str(), shown.as_str());
        }
        found += secrets;
    }
    found > 0
}

fn unfolded<'a>(part: &Part<'a>) -> &'a str {
    match part {
        Part::Text(text) => text,
        Part::Secret(secret) => secret.unfolded(),
    }
}
