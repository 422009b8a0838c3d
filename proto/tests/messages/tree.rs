//! CBOR as a tree, written by hand so that the tests don't check the decoder with itself: what it reads it can write
//! again with one thing changed that the canonical form does not allow.

/// One CBOR item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Uint(u64),
    Bytes(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Simple(u8),
    /// Bytes that stand for themselves.
    Verbatim(Vec<u8>),
}

impl Item {
    /// Reads one item of the canonical bytes of ours.
    pub fn read(bytes: &mut &[u8]) -> Self {
        let first = take(bytes, 1)[0];
        let value = match first & 0x1f {
            n @ 0..=0x17 => u64::from(n),
            n @ 0x18..=0x1b => {
                take(bytes, 1 << (n - 0x18)).iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
            _ => panic!("not canonical"),
        };
        let n = usize::try_from(value).unwrap_or(usize::MAX);
        match first >> 5 {
            0 => Self::Uint(value),
            2 => Self::Bytes(take(bytes, n).to_vec()),
            3 => Self::Text(take(bytes, n).to_vec()),
            4 => Self::Array((0..n).map(|_| Self::read(bytes)).collect()),
            5 => Self::Map((0..n).map(|_| (Self::read(bytes), Self::read(bytes))).collect()),
            7 => Self::Simple(first & 0x1f),
            _ => panic!("not of ours"),
        }
    }

    pub fn of(bytes: &[u8]) -> Self {
        let mut rest = bytes;
        let item = Self::read(&mut rest);
        assert!(rest.is_empty(), "one item");
        item
    }

    pub fn write(&self) -> Vec<u8> {
        let join = |head: Vec<u8>, parts: Vec<Vec<u8>>| [head, parts.concat()].concat();
        match self {
            Self::Uint(value) => head(0, *value),
            Self::Bytes(bytes) => join(head(2, bytes.len() as u64), vec![bytes.clone()]),
            Self::Text(text) => join(head(3, text.len() as u64), vec![text.clone()]),
            Self::Array(items) => join(head(4, items.len() as u64), items.iter().map(Self::write).collect()),
            Self::Map(pairs) => {
                let parts = pairs.iter().map(|(key, value)| [key.write(), value.write()].concat());
                join(head(5, pairs.len() as u64), parts.collect())
            }
            Self::Simple(value) => vec![7 << 5 | value],
            Self::Verbatim(bytes) => bytes.clone(),
        }
    }

    /// The same, with a field of the outermost map replaced, added or (with none) removed.
    pub fn with(&self, key: u64, value: Option<Self>) -> Self {
        let Self::Map(pairs) = self else { panic!("not a map") };
        let mut pairs = pairs.clone();
        pairs.retain(|(k, _)| *k != Self::Uint(key));
        pairs.extend(value.map(|value| (Self::Uint(key), value)));
        pairs.sort_by_key(|(k, _)| if let Self::Uint(k) = k { *k } else { u64::MAX });
        Self::Map(pairs)
    }

    pub fn field(&self, key: u64) -> &Self {
        let Self::Map(pairs) = self else { panic!("not a map") };
        &pairs.iter().find(|(k, _)| *k == Self::Uint(key)).unwrap().1
    }

    /// Every variation of this item or of one within it that means the same to a lax reader, with what was done.
    pub fn lax(&self) -> Vec<(&'static str, Self)> {
        let mut all = self.lax_here();
        // A long form of something that long is its only form.
        all.retain(|(_, other)| other.write() != self.write());
        match self {
            Self::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    all.extend(item.lax().into_iter().map(|(what, item)| {
                        let mut items = items.clone();
                        items[i] = item;
                        (what, Self::Array(items))
                    }));
                }
            }
            Self::Map(pairs) => {
                for (i, (key, value)) in pairs.iter().enumerate() {
                    let keys = key.lax().into_iter().map(|(what, key)| (what, (key, value.clone())));
                    let values = value.lax().into_iter().map(|(what, value)| (what, (key.clone(), value)));
                    all.extend(keys.chain(values).map(|(what, pair)| {
                        let mut pairs = pairs.clone();
                        pairs[i] = pair;
                        (what, Self::Map(pairs))
                    }));
                }
            }
            _ => {}
        }
        all
    }

    fn lax_here(&self) -> Vec<(&'static str, Self)> {
        let verbatim = |parts: &[&[u8]]| Self::Verbatim(parts.concat());
        match self {
            Self::Uint(value) => vec![
                ("a long integer", verbatim(&[&[0x1b], &value.to_be_bytes()])),
                ("a tagged integer", verbatim(&[&[0xc1], &self.write()])),
            ],
            Self::Bytes(bytes) => vec![
                ("a long length", verbatim(&[&[0x5a], &u32_of(bytes.len()), bytes])),
                ("bytes in pieces", verbatim(&[&[0x5f], &self.write(), &[0xff]])),
            ],
            Self::Text(text) => vec![
                ("a long length", verbatim(&[&[0x7a], &u32_of(text.len()), text])),
                ("a text in pieces", verbatim(&[&[0x7f], &self.write(), &[0xff]])),
            ],
            Self::Array(items) => {
                let body = items.iter().flat_map(Self::write).collect::<Vec<u8>>();
                vec![
                    ("a long length", verbatim(&[&[0x9a], &u32_of(items.len()), &body])),
                    ("an array without a length", verbatim(&[&[0x9f], &body, &[0xff]])),
                ]
            }
            Self::Map(pairs) => lax_map(pairs),
            Self::Simple(value) => vec![("a long simple value", verbatim(&[&[0xf8, *value]]))],
            Self::Verbatim(_) => vec![],
        }
    }
}

fn lax_map(pairs: &[(Item, Item)]) -> Vec<(&'static str, Item)> {
    let body =
        pairs.iter().flat_map(|(key, value)| [key.write(), value.write()].concat()).collect::<Vec<u8>>();
    let mut all = vec![
        ("a long length", Item::Verbatim([&[0xba][..], &u32_of(pairs.len()), &body].concat())),
        ("a map without a length", Item::Verbatim([&[0xbf][..], &body, &[0xff]].concat())),
    ];
    let unknown = (Item::Uint(99), Item::Uint(0));
    all.push(("an unknown key", Item::Map([pairs, &[unknown]].concat())));
    // Keys that optional fields have: a null is not the way to leave them out.
    for key in 0..24 {
        if pairs.iter().all(|(k, _)| *k != Item::Uint(key)) {
            let null = (Item::Uint(key), Item::Simple(0x16));
            all.push(("a null", Item::Map([pairs, &[null]].concat()).with(u64::MAX, None)));
        }
    }
    if let [first, second, rest @ ..] = pairs {
        all.push(("keys out of order", Item::Map([&[second.clone(), first.clone()], rest].concat())));
        all.push((
            "a key twice",
            Item::Map([&[first.clone(), first.clone(), second.clone()], rest].concat()),
        ));
    }
    all
}

fn head(major: u8, value: u64) -> Vec<u8> {
    let major = major << 5;
    match value {
        0..=0x17 => vec![major | u8::try_from(value).unwrap()],
        0x18..=0xff => vec![major | 0x18, u8::try_from(value).unwrap()],
        0x100..=0xffff => [vec![major | 0x19], u16::try_from(value).unwrap().to_be_bytes().to_vec()].concat(),
        0x1_0000..=0xffff_ffff => {
            [vec![major | 0x1a], u32::try_from(value).unwrap().to_be_bytes().to_vec()].concat()
        }
        _ => [vec![major | 0x1b], value.to_be_bytes().to_vec()].concat(),
    }
}

fn u32_of(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap().to_be_bytes()
}

fn take<'b>(bytes: &mut &'b [u8], n: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(n);
    *bytes = rest;
    taken
}
