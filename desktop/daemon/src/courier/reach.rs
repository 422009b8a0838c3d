//! How each phone's relay is reached, for `status` and `phones`.

use std::{collections::BTreeMap, time::Duration};

use countersign_ipc::control::RelayState;
use countersign_proto::{id::DeviceId, pairing::RelayHost};
use tokio::sync::watch;

/// How a relay is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Dialling.
    Connecting,
    /// Connected.
    Online {
        /// Whether the phone is there too.
        phone: bool,
    },
    /// Not reached; tried again by itself.
    Offline {
        /// After this time.
        retry_in: Duration,
        /// Why.
        why: String,
    },
    /// Reached, but it won't have us.
    Refused {
        /// Why.
        why: String,
    },
}

/// One phone's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The relay.
    pub relay: String,
    /// How it is reached.
    pub reach: Reach,
}

/// Every phone's way.
pub type Ways = BTreeMap<DeviceId, Way>;

/// Where couriers say how they are.
#[derive(Debug)]
pub(super) struct Board(watch::Sender<Ways>);

impl Board {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(BTreeMap::new()))
    }

    pub(super) fn set(&self, device: DeviceId, relay: &RelayHost, reach: Reach) {
        let way = Way { relay: relay.to_string(), reach };
        self.0.send_if_modified(|ways| ways.insert(device, way.clone()).as_ref() != Some(&way));
    }

    pub(super) fn remove(&self, device: DeviceId) {
        self.0.send_if_modified(|ways| ways.remove(&device).is_some());
    }

    pub(super) fn watch(&self) -> watch::Receiver<Ways> {
        self.0.subscribe()
    }
}

/// All of it in one word.
#[must_use]
pub fn summary(ways: &Ways) -> RelayState {
    let online = ways.values().find(|way| matches!(way.reach, Reach::Online { .. }));
    if let Some(Way { relay, .. }) = online {
        return RelayState::Connected { relay: relay.clone() };
    }
    let troubled = ways.values().find(|way| !way.trouble().is_empty());
    match troubled.or_else(|| ways.values().next()) {
        Some(way) => RelayState::Connecting { relay: way.relay.clone(), trouble: way.trouble().to_owned() },
        None => RelayState::Off {},
    }
}

impl Way {
    /// What went wrong, where something did.
    #[must_use]
    pub fn trouble(&self) -> &str {
        match &self.reach {
            Reach::Connecting | Reach::Online { .. } => "",
            Reach::Offline { why, .. } | Reach::Refused { why } => why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(reaches: Vec<Reach>) -> Ways {
        let way = |(nth, reach)| (DeviceId::new([nth; 16]), Way { relay: format!("relay-{nth}"), reach });
        (1..).zip(reaches).map(way).collect()
    }

    #[test]
    fn one_word_says_whether_any_phone_can_be_reached_or_what_is_wrong() {
        assert_eq!(summary(&ways(vec![])), RelayState::Off {});
        let connecting = summary(&ways(vec![Reach::Connecting]));
        assert_eq!(connecting, RelayState::Connecting { relay: "relay-1".into(), trouble: String::new() });
        let refused = Reach::Refused { why: "no".into() };
        assert_eq!(
            summary(&ways(vec![Reach::Connecting, refused.clone()])),
            RelayState::Connecting { relay: "relay-2".into(), trouble: "no".into() }
        );
        assert_eq!(
            summary(&ways(vec![refused, Reach::Online { phone: false }])),
            RelayState::Connected { relay: "relay-2".into() }
        );
    }
}
