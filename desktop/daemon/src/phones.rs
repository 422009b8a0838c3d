//! Phones as the control socket tells of them.

use countersign_core::approver::{Approver, KeyStrength, NewApprover, Standing};
use countersign_ipc::control::{Phone, PhoneState};
use countersign_proto::domain;

use crate::clock;

/// An approver, drawn.
#[must_use]
pub fn draw(approver: &Approver, last_seen_wall_ms: Option<u64>) -> Phone {
    let who = &approver.who;
    Phone {
        device_id: who.device_id.to_string(),
        name: who.name.shown().to_string(),
        model: who.model.shown().to_string(),
        fingerprint: fingerprint(who),
        security: security(who.strength).to_owned(),
        state: match approver.standing {
            Standing::Active => PhoneState::Active,
            Standing::Suspended(_) => PhoneState::Suspended,
            Standing::Revoked => PhoneState::Revoked,
        },
        connected: approver.is_live,
        paired: clock::rfc3339(who.paired_wall_ms),
        last_seen: last_seen_wall_ms.map(clock::rfc3339),
    }
}

/// The approval key's fingerprint: the start of its SPKI's hash, in groups of four.
#[must_use]
pub fn fingerprint(who: &NewApprover) -> String {
    let hash = domain::hash(domain::SPKI, &[who.bio_key.spki_der()]).to_string();
    let groups: Vec<&str> = (0..4).filter_map(|nth| hash.get(4 * nth..4 * nth + 4)).collect();
    groups.join(" ")
}

/// How a phone keeps its approval key.
#[must_use]
pub const fn security(strength: KeyStrength) -> &'static str {
    match strength {
        KeyStrength::Demo => "software keys (demo)",
        KeyStrength::Tee => "secure hardware (TEE)",
        KeyStrength::StrongBox => "secure element (StrongBox)",
    }
}
