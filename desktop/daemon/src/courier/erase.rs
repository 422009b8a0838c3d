//! Deletes a revoked phone's channel at its relay, again and again until the relay confirms it (protocol.md §4.8).

use std::sync::Arc;

use countersign_proto::claim::End;

use super::{
    Shared,
    address::Address,
    backoff::{Backoff, Pace},
    dial::Trouble,
    socket::{Claimed, Socket},
};
use crate::{
    keys::random,
    relay_child::{Lease, Port},
    store::ChannelEnd,
};

/// Deletes a channel, and forgets its key.
pub(super) async fn erase(shared: Arc<Shared>, end: ChannelEnd) {
    let ChannelEnd { channel, relay, relay_key } = end;
    let address = match Address::recorded(&relay) {
        Ok(address) => address,
        Err(error) => return tracing::error!(%error, "a revoked phone's channel can't be deleted"),
    };
    let lease = shared.relay.owns(&address).then(|| shared.relay.lease(Port::Remembered));
    let claimed = Claimed { channel, end: End::Desktop, key: relay_key };
    let mut backoff = Backoff::new(Pace::Unhurried);
    loop {
        let chance = random::<8>().map_or(u64::MAX, |bytes| u64::from_be_bytes(*bytes));
        let try_once = async {
            let deleted = delete(lease.as_ref(), &address, &claimed).await;
            if let Err(trouble) = &deleted {
                tracing::debug!(%trouble, "a revoked phone's channel is not deleted yet");
                tokio::time::sleep(backoff.next(chance)).await;
            }
            deleted.is_ok()
        };
        tokio::select! {
            is_deleted = try_once => if is_deleted { break },
            () = shared.stop.cancelled() => return,
        }
    }
    shared.deleted(channel).await;
}

async fn delete(lease: Option<&Lease>, address: &Address, claimed: &Claimed) -> Result<(), Trouble> {
    if let Some(lease) = lease {
        lease.ready().await?;
    }
    match Socket::claim(address, claimed).await {
        Ok((socket, _)) => socket.delete().await,
        // A relay says no more; a channel that it does not know is gone.
        Err(Trouble::Refused) => Ok(()),
        Err(other) => Err(other),
    }
}
