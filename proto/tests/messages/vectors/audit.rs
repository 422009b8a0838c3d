//! `audit.json`: an audit chain of three entries with its checkpoint, and chains that were tampered with.

use countersign_proto::{
    canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    domain,
    id::Hash,
};
use serde_json::{Value, json};

use super::{VectorFile, case, hex, key, keys, unhex};
use crate::{
    samples::{self, DESKTOP, OTHER_DESKTOP},
    tree::Item,
};

#[test]
fn audit_chains() {
    let file = VectorFile {
        name: "audit.json",
        about: "Audit chains (protocol.md 10) from their first entry: each entry (hex) is `{0 seq, 1 prev, 2 wall ms, 3 \
                boottime ms, 4 run_id, 5 body}`, `hashes` are theirs, `checkpoint` travels as `{0 bytes, 1 sig}`. A bad \
                one has the `flaw` that a verifier must find: missing, unlinked, forged_checkpoint or contradicted.",
        keys: keys(),
        good: vec![chain("three entries", &entries(), &checkpoint(&entries()))],
        bad: bad_ones(),
    }
    .committed();
    for case in file["good"].as_array().unwrap() {
        assert_eq!(verify(&file["keys"], case), Ok(()), "{}", case["name"]);
    }
    for case in file["bad"].as_array().unwrap() {
        assert_eq!(verify(&file["keys"], case), Err(case["flaw"].as_str().unwrap()), "{}", case["name"]);
    }
}

/// What anybody can do who holds an export: numbers, links, then the checkpoint.
fn verify(keys: &Value, case: &Value) -> Result<(), &'static str> {
    let mut prev = Hash::new([0; 32]);
    let mut hashes = Vec::new();
    for (entry, seq) in case["entries"].as_array().unwrap().iter().zip(1..) {
        let bytes = unhex(entry);
        let item = Item::of(&bytes);
        if *item.field(0) != Item::Uint(seq) {
            return Err("missing");
        }
        if *item.field(1) != Item::Bytes(prev.as_bytes().to_vec()) {
            return Err("unlinked");
        }
        prev = domain::hash(domain::AUDIT, &[&bytes]);
        hashes.push(prev);
    }
    let signed: SignedCheckpoint = canonical::decode(&unhex(&case["checkpoint"]), 1_024).unwrap();
    let checkpoint = signed.open(&key(keys, "desktop_public")).map_err(|_| "forged_checkpoint")?;
    let seen = usize::try_from(checkpoint.seq).unwrap().checked_sub(1).and_then(|at| hashes.get(at));
    if seen != Some(&checkpoint.head) {
        return Err("contradicted");
    }
    if let Some(list) = case["hashes"].as_array() {
        assert!(
            list.iter().map(|hash| hash.as_str().unwrap().to_owned()).eq(hashes.iter().map(Hash::to_string))
        );
    }
    Ok(())
}

/// Started, asked, allowed; each linked to the one before.
fn entries() -> Vec<Vec<u8>> {
    linked([1, 3, 5].map(|event| vec![(Item::Uint(0), Item::Uint(event))]).into())
}

fn linked(bodies: Vec<Vec<(Item, Item)>>) -> Vec<Vec<u8>> {
    let mut prev = Hash::new([0; 32]);
    let mut entries = Vec::new();
    for (body, seq) in bodies.into_iter().zip(1..) {
        let fields = [
            Item::Uint(seq),
            Item::Bytes(prev.as_bytes().to_vec()),
            Item::Uint(1_796_083_200_000 + seq),
            Item::Uint(60_000 + seq),
            Item::Bytes(vec![0xc3; 16]),
            Item::Map(body),
        ];
        let entry = Item::Map((0..).map(Item::Uint).zip(fields).collect()).write();
        prev = domain::hash(domain::AUDIT, &[&entry]);
        entries.push(entry);
    }
    entries
}

/// The checkpoint of a chain's newest entry.
fn checkpoint(entries: &[Vec<u8>]) -> SignedCheckpoint {
    let head = domain::hash(domain::AUDIT, &[entries.last().unwrap()]);
    Checkpoint { seq: entries.len() as u64, head, ..samples::checkpoint() }.sign(&samples::key(DESKTOP))
}

fn chain(name: &str, entries: &[Vec<u8>], checkpoint: &SignedCheckpoint) -> Value {
    let fields = json!({
        "entries": entries.iter().map(|entry| hex(entry)).collect::<Vec<_>>(),
        "hashes": entries.iter().map(|entry| domain::hash(domain::AUDIT, &[entry]).to_string()).collect::<Vec<_>>(),
        "checkpoint": hex(&canonical::encode(checkpoint)),
    });
    case(name, fields)
}

fn bad_ones() -> Vec<Value> {
    let whole = entries();
    let signed = checkpoint(&whole);
    let of = |name: &str, flaw: &str, entries: &[Vec<u8>], checkpoint: &SignedCheckpoint| {
        let mut case = chain(name, entries, checkpoint);
        case["flaw"] = json!(flaw);
        case
    };
    let mut changed = whole.clone();
    changed[1] = Item::of(&whole[1]).with(3, Some(Item::Uint(1))).write();
    let without_second = vec![whole[0].clone(), whole[2].clone()];
    let swapped = vec![whole[0].clone(), whole[2].clone(), whole[1].clone()];
    let rewritten = linked([1, 3, 6].map(|event| vec![(Item::Uint(0), Item::Uint(event))]).into());
    let forged = Checkpoint { seq: 3, head: Hash::new([0; 32]), ..samples::checkpoint() };
    vec![
        of("an entry was changed", "unlinked", &changed, &signed),
        of("an entry was taken out", "missing", &without_second, &signed),
        of("entries were swapped", "missing", &swapped, &signed),
        of("the newest entry was cut off", "contradicted", &whole[..2], &signed),
        of("the newest entry was rewritten, all links made anew", "contradicted", &rewritten, &signed),
        of(
            "a checkpoint by another desktop",
            "forged_checkpoint",
            &whole,
            &forged.sign(&samples::key(OTHER_DESKTOP)),
        ),
    ]
}
