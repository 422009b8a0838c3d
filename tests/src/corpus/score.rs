//! What came out of a whole corpus, counted.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// How many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// That many.
    pub count: usize,
    /// Of these.
    pub of: usize,
}

impl Tally {
    /// Counts one more, which is one of them or not.
    pub fn add(&mut self, is_one: bool) {
        self.of += 1;
        self.count += usize::from(is_one);
    }

    /// In per cent; nothing of nothing is all.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a corpus has far fewer cases than a float has digits")]
    pub fn percent(self) -> f64 {
        if self.of == 0 { 100.0 } else { 100.0 * self.count as f64 / self.of as f64 }
    }
}

/// A field that came out otherwise than its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The case.
    pub id: String,
    /// Its kind.
    pub family: String,
    /// The field.
    pub field: &'static str,
    /// The label.
    pub expected: Value,
    /// What came out.
    pub got: Value,
    /// Whether it lets more pass than any accepted value.
    pub is_dangerous: bool,
    /// What it is about.
    pub words: String,
    /// Why the label is what it is.
    pub why: String,
}

/// What a case is about.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its kind.
    pub family: &'a str,
    /// What it asks.
    pub words: &'a str,
    /// Why its label is what it is.
    pub why: &'a str,
}

/// One field that came out.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'static str,
    /// What came out.
    pub got: &'a Value,
    /// The label.
    pub expected: &'a Value,
    /// Whether it counts as right.
    pub is_right: bool,
    /// Whether it lets more pass than any accepted value.
    pub is_dangerous: bool,
}

/// How often which label (first) came out as what (second); an accepted value counts as its label.
pub type Confusion = BTreeMap<(String, String), usize>;

/// The figures of a corpus.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Score {
    /// Right fields, by field.
    pub fields: BTreeMap<&'static str, Tally>,
    /// Right fields, by kind of case.
    pub families: BTreeMap<String, Tally>,
    /// Cases with everything right.
    pub cases: Tally,
    /// Benign cases whose level alarms.
    pub false_alarms: Tally,
    /// Of fields with few values, what was taken for what.
    pub confusion: BTreeMap<&'static str, Confusion>,
    /// What is wrong, in the corpus's order.
    pub misses: Vec<Miss>,
}

impl Score {
    /// Counts one more case, by its fields. A field of `tables` gets a table of what was taken for what.
    pub fn add<'a>(
        &mut self,
        about: About<'_>,
        fields: impl IntoIterator<Item = Field<'a>>,
        tables: &[&str],
    ) {
        let mut is_right = true;
        for field in fields {
            is_right &= field.is_right;
            self.fields.entry(field.name).or_default().add(field.is_right);
            self.families.entry(about.family.to_owned()).or_default().add(field.is_right);
            if tables.contains(&field.name) {
                let counted = if field.is_right { field.expected } else { field.got };
                let pair = (text(field.expected), text(counted));
                *self.confusion.entry(field.name).or_default().entry(pair).or_default() += 1;
            }
            if !field.is_right {
                self.misses.push(Miss {
                    id: about.id.to_owned(),
                    family: about.family.to_owned(),
                    field: field.name,
                    expected: field.expected.clone(),
                    got: field.got.clone(),
                    is_dangerous: field.is_dangerous,
                    words: about.words.to_owned(),
                    why: about.why.to_owned(),
                });
            }
        }
        self.cases.add(is_right);
    }

    /// Right fields of all.
    #[must_use]
    pub fn all_fields(&self) -> Tally {
        let sum = |of: fn(&Tally) -> usize| self.fields.values().map(of).sum();
        Tally { count: sum(|tally| tally.count), of: sum(|tally| tally.of) }
    }

    /// What lets more pass than it may.
    pub fn dangerous(&self) -> impl Iterator<Item = &Miss> {
        self.misses.iter().filter(|miss| miss.is_dangerous)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("?").to_owned()
}
