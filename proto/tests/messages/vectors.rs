//! The golden vectors: each module makes the cases of one file and checks them as somebody else would, from the file.

mod audit;
mod canonical;
mod checkpoint;
mod control;
mod labels;
mod lock;
mod offer;
mod receipt;
mod reply;
mod request;
mod revoked;
mod text;

use std::path::{Path, PathBuf};

use countersign_proto::{
    Refusal,
    id::{DesktopId, DeviceId},
    key::{BioKey, VerifyingKey},
};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::samples::{self, BIO, BioSigner, DESKTOP, DEVICE};

/// One vector file. Every case has a name; a bad one has the refusal it must get.
struct VectorFile {
    name: &'static str,
    about: &'static str,
    keys: Value,
    good: Vec<Value>,
    bad: Vec<Value>,
}

impl VectorFile {
    /// The committed file holds exactly these cases, and each one, as read from the file, gets what it says.
    fn holds(self, check: fn(&Value, &Value) -> Result<(), Refusal>) {
        let name = self.name;
        let file = self.committed();
        for case in file["good"].as_array().unwrap() {
            assert_eq!(check(&file["keys"], case), Ok(()), "{name}: {}", case["name"]);
        }
        for case in file["bad"].as_array().unwrap() {
            let refusal = check(&file["keys"], case).map_err(Refusal::name);
            assert_eq!(
                refusal,
                Err(case["refusal"].as_str().unwrap().to_owned()),
                "{name}: {}",
                case["name"]
            );
        }
    }

    /// The committed file, which holds exactly these cases.
    fn committed(self) -> Value {
        let json = json!({ "about": self.about, "keys": self.keys, "good": self.good, "bad": self.bad });
        let text = format!("{}\n", serde_json::to_string_pretty(&json).unwrap());
        let path = folder().join(self.name);
        if std::env::var_os("COUNTERSIGN_WRITE_VECTORS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let file = std::fs::read_to_string(&path).unwrap();
        assert_eq!(file, text, "{}: run with COUNTERSIGN_WRITE_VECTORS=1 if meant", self.name);
        serde_json::from_str(&file).unwrap()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// The fixed keys, secret halves too, so that other implementations can sign.
fn keys() -> Value {
    json!({
        "desktop_seed": hex(&[DESKTOP; 32]),
        "desktop_public": hex(samples::key(DESKTOP).public().as_bytes()),
        "desktop_id": samples::desktop_id(DESKTOP).to_string(),
        "device_seed": hex(&[DEVICE; 32]),
        "device_public": hex(samples::key(DEVICE).public().as_bytes()),
        "device_id": samples::device_id(DESKTOP, DEVICE).to_string(),
        "approval_secret": hex(&[BIO; 32]),
        "approval_spki": hex(BioSigner::of(BIO).public().spki_der()),
    })
}

fn key(keys: &Value, name: &str) -> VerifyingKey {
    VerifyingKey::from_bytes(&unhex(&keys[name]).try_into().unwrap()).unwrap()
}

fn approval_key(keys: &Value) -> BioKey {
    BioKey::from_spki_der(&unhex(&keys["approval_spki"])).unwrap()
}

fn ids(keys: &Value) -> (DesktopId, DeviceId) {
    let text = |name: &str| keys[name].as_str().unwrap();
    (text("desktop_id").parse().unwrap(), text("device_id").parse().unwrap())
}

/// A case: its name, then its fields.
fn case(name: &str, fields: Value) -> Value {
    let mut all = json!({ "name": name });
    all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    all
}

/// A bad case: its name, the refusal it must get, then its fields.
fn bad(name: &str, refusal: Refusal, fields: Value) -> Value {
    let mut all = json!({ "name": name, "refusal": refusal.name() });
    all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    all
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn unhex(value: &Value) -> Vec<u8> {
    HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}

/// The bytes of a case, followed by its zeros where it has any.
fn bytes(case: &Value) -> Vec<u8> {
    let mut bytes = unhex(&case["bytes"]);
    let zeros = case["zeros"].as_u64().unwrap_or(0);
    bytes.resize(bytes.len() + usize::try_from(zeros).unwrap(), 0);
    bytes
}

#[test]
fn two_thirds_of_all_vectors_are_wrong_on_purpose_and_every_file_is_in_the_index() {
    let index = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let (mut good, mut bad) = (0, 0);
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            name == "README.md" || index.contains(&format!("`{name}`")),
            "{name} is not in vectors/README.md"
        );
        if path.extension().is_some_and(|extension| extension == "json") {
            let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            good += file["good"].as_array().map_or(0, Vec::len);
            bad += file["bad"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(good + bad >= 60 && bad >= 2 * good, "{good} good, {bad} bad");
}
