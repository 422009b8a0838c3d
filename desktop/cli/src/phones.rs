//! Paired phones: who may decide, and the end of it.

use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, Phone, PhoneState, PhoneWhich},
};
use serde_json::json;

use crate::{
    arguments::{Format, OnePhone, Phones, PhonesCommand, WhichPhone},
    connection, moment, output,
    pick::{pick, short},
    trouble::{Trouble, command, name},
};

/// `phones`
pub async fn run(instance: &Instance, phones: Phones) -> Result<(), Trouble> {
    match phones.command {
        None => list(instance, phones.format).await,
        Some(PhonesCommand::List(format)) => list(instance, format).await,
        Some(PhonesCommand::Revoke(which)) => revoke(instance, which).await,
        Some(PhonesCommand::Unsuspend(one)) => unsuspend(instance, one).await,
    }
}

async fn list(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let phones = all(instance).await?;
    if format.json {
        return output::print_json(&json!({ "phones": phones }));
    }
    output::print(&table(instance, &phones))
}

async fn revoke(instance: &Instance, which: WhichPhone) -> Result<(), Trouble> {
    let request = match which.id {
        None => PhoneWhich::All,
        Some(start) => PhoneWhich::One(one(instance, &start).await?),
    };
    let reply = connection::ask(instance, &ControlRequest::PhonesRevoke { which: request }).await?;
    let ControlReply::Revoked { phones } = reply else { return Err(Trouble::Unexpected) };
    if which.format.json {
        return output::print_json(&json!({ "phones": phones }));
    }
    if phones.is_empty() {
        return output::print("No phone is paired, so none was revoked.\n");
    }
    let line = |phone: &Phone| format!("{} can no longer decide anything.\n", phone.name);
    output::print(&phones.iter().map(line).collect::<String>())
}

async fn unsuspend(instance: &Instance, one_phone: OnePhone) -> Result<(), Trouble> {
    let device_id = one(instance, &one_phone.id).await?;
    let reply = connection::ask(instance, &ControlRequest::PhonesUnsuspend { device_id }).await?;
    let ControlReply::Phones { phones } = reply else { return Err(Trouble::Unexpected) };
    if one_phone.format.json {
        return output::print_json(&json!({ "phones": phones }));
    }
    output::print(
        &phones.iter().map(|phone| format!("{} may decide again.\n", phone.name)).collect::<String>(),
    )
}

/// Every phone, the revoked ones too.
pub async fn all(instance: &Instance) -> Result<Vec<Phone>, Trouble> {
    match connection::ask(instance, &ControlRequest::PhonesList {}).await? {
        ControlReply::Phones { phones } => Ok(phones),
        _ => Err(Trouble::Unexpected),
    }
}

async fn one(instance: &Instance, start: &str) -> Result<String, Trouble> {
    let phones = all(instance).await?;
    pick(start, "phone", phones.iter().map(|phone| phone.device_id.as_str()))
}

fn table(instance: &Instance, phones: &[Phone]) -> String {
    if phones.is_empty() {
        return format!("No phone is paired. Pair one with `{}`.\n", command(instance, "pair"));
    }
    phones.iter().map(line).collect()
}

fn line(phone: &Phone) -> String {
    let now = match (phone.state, phone.connected) {
        (PhoneState::Active, true) => "connected".to_owned(),
        (PhoneState::Active, false) => "not connected".to_owned(),
        (state @ (PhoneState::Suspended | PhoneState::Revoked), _) => name(&state),
    };
    let seen = phone
        .last_seen
        .as_deref()
        .map_or_else(String::new, |seen| format!(", last heard of {}", moment::local(seen)));
    let hint = match phone.state {
        PhoneState::Suspended => "  it may deny; `countersign phones unsuspend` lets it decide again\n",
        PhoneState::Active | PhoneState::Revoked => "",
    };
    format!(
        "{}  {} ({})  {now}\n  {}, fingerprint {}\n  paired {}{seen}\n{hint}",
        short(&phone.device_id),
        phone.name,
        phone.model,
        phone.security,
        phone.fingerprint,
        moment::local(&phone.paired),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phone(state: PhoneState) -> Phone {
        Phone {
            device_id: "ab".repeat(16),
            name: "Ann's phone".into(),
            model: "Demo".into(),
            fingerprint: "12 34".into(),
            security: "software keys (demo)".into(),
            state,
            connected: true,
            paired: "2026-12-01T12:00:00Z".into(),
            last_seen: None,
        }
    }

    #[test]
    fn how_keys_are_kept_stands_beside_every_phone() {
        let text = table(&Instance::MAIN, &[phone(PhoneState::Active)]);
        assert!(text.contains("software keys (demo), fingerprint 12 34"), "{text}");
        assert!(text.starts_with("abababab  Ann's phone (Demo)  connected"), "{text}");
    }

    #[test]
    fn a_phone_that_may_not_decide_is_never_called_connected() {
        assert!(line(&phone(PhoneState::Revoked)).contains("  revoked\n"));
        assert!(line(&phone(PhoneState::Suspended)).contains("  suspended\n"));
    }

    #[test]
    fn without_a_phone_the_next_step_is_told() {
        assert!(table(&Instance::MAIN, &[]).contains("`countersign pair`"));
    }
}
