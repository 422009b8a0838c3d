//! Replies of many lines: the log, and its export.

use countersign_ipc::control::{ControlReply, ErrorCode, LogEntry, LogFilter};

use super::{
    connection::{Replies, Unread},
    words::{failure, store_failed},
};
use crate::{
    log::{self, Export},
    status::House,
    store::Search,
};

pub(super) async fn log(house: &House, filter: LogFilter, replies: &Replies) -> Result<(), Unread> {
    // Entries don't stand under what they rest on, so the store can't look for that.
    let basis = filter.basis.as_deref().map(str::to_ascii_lowercase);
    let newest = filter.newest.filter(|_| basis.is_some());
    let filter = LogFilter { newest: filter.newest.filter(|_| basis.is_none()), ..filter };
    let Some(search) = search(filter) else {
        let failure = failure(ErrorCode::BadRequest, "an id in the filter is not whole", "give whole ids");
        return replies.send(ControlReply::Failed(failure)).await;
    };
    match house.store.search_log(&search).await {
        Ok(rows) => {
            let mut entries: Vec<LogEntry> = rows.iter().map(log::describe).collect();
            if let Some(basis) = basis {
                entries.retain(|entry| entry.basis.as_ref().is_some_and(|id| id.starts_with(&basis)));
            }
            let skipped = newest.map_or(0, |newest| entries.len().saturating_sub(newest as usize));
            for entry in entries.into_iter().skip(skipped) {
                replies.send(ControlReply::LogEntry(entry)).await?;
            }
            replies.send(ControlReply::Done {}).await
        }
        Err(error) => replies.send(ControlReply::Failed(store_failed(&error))).await,
    }
}

pub(super) async fn export(house: &House, redact: bool, replies: &Replies) -> Result<(), Unread> {
    let mut export = Export::new(&house.store, redact);
    loop {
        match export.next().await {
            Ok(Some(lines)) => {
                for line in lines {
                    replies.send(ControlReply::ExportLine { line: line.to_string() }).await?;
                }
            }
            Ok(None) => return replies.send(ControlReply::Done {}).await,
            Err(error) => return replies.send(ControlReply::Failed(store_failed(&error))).await,
        }
    }
}

fn search(filter: LogFilter) -> Option<Search> {
    let LogFilter { newest, since_ms, kind, request_id, device_id, session, basis: _ } = filter;
    Some(Search {
        newest,
        since_ms,
        event: kind,
        request: request_id.map(|id| id.parse().ok()).map_or(Some(None), |id| id.map(Some))?,
        device: device_id.map(|id| id.parse().ok()).map_or(Some(None), |id| id.map(Some))?,
        session,
    })
}
