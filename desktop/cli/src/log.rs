//! The audit log: shown, checked, written out (AUD-1).

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    process::ExitCode,
    str::FromStr,
};

use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, LogEntry, LogFilter, LogReport},
    folder,
};

use crate::{
    arguments::{Log, LogCommand, LogExport, LogList, LogVerify},
    connection::{self, Connection},
    moment, output,
    pick::short,
    trouble::{FAILED, Trouble},
};

/// An entry that somebody wrote down earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    seq: u64,
    hash: String,
}

/// A text that names no entry.
#[derive(Debug, thiserror::Error)]
#[error("write the entry's number, a colon and its hash in full: 64 hexadecimal digits")]
pub struct BadHead;

impl FromStr for Head {
    type Err = BadHead;

    fn from_str(text: &str) -> Result<Self, BadHead> {
        let (seq, hash) = text.split_once(':').ok_or(BadHead)?;
        let seq = seq.parse().map_err(|_| BadHead)?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        if is_hash && seq > 0 { Ok(Self { seq, hash: hash.to_ascii_lowercase() }) } else { Err(BadHead) }
    }
}

/// `log`
pub async fn run(instance: &Instance, log: Log) -> Result<ExitCode, Trouble> {
    match log.command {
        None => list(instance, log.list).await.map(|()| ExitCode::SUCCESS),
        Some(LogCommand::Verify(verify)) => check(instance, verify).await,
        Some(LogCommand::Export(export)) => write_out(instance, export).await.map(|()| ExitCode::SUCCESS),
    }
}

async fn list(instance: &Instance, which: LogList) -> Result<(), Trouble> {
    let filter = LogFilter {
        newest: which.last,
        since_ms: None,
        kind: which.event,
        request_id: which.request,
        device_id: which.phone,
        session: which.session,
        basis: which.by,
    };
    let mut connection = Connection::open(instance)?;
    let id = connection.send(&ControlRequest::LogList { filter }).await?;
    loop {
        match connection.reply_to(id).await? {
            ControlReply::LogEntry(entry) if which.json => output::print_json(&entry)?,
            ControlReply::LogEntry(entry) => output::print(&line(&entry))?,
            ControlReply::Done {} => return Ok(()),
            _ => return Err(Trouble::Unexpected),
        }
    }
}

fn line(entry: &LogEntry) -> String {
    let request = entry.request_id.as_deref().map_or("        ", short);
    format!(
        "{:>6}  {}  {request}  {:<14} {}\n",
        entry.seq,
        moment::local(&entry.time),
        entry.kind,
        entry.text
    )
}

async fn check(instance: &Instance, verify: LogVerify) -> Result<ExitCode, Trouble> {
    let ControlReply::LogVerified(mut report) =
        connection::ask(instance, &ControlRequest::LogVerify {}).await?
    else {
        return Err(Trouble::Unexpected);
    };
    if let Some(head) = &verify.head {
        report.problems.extend(contradiction(instance, &report, head).await?);
    }
    if verify.format.json {
        output::print_json(&report)?;
    } else {
        output::print(&verdict(&report))?;
    }
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// What is wrong where the log no longer holds an entry as it was written down.
async fn contradiction(
    instance: &Instance,
    report: &LogReport,
    head: &Head,
) -> Result<Option<String>, Trouble> {
    let Some(after) = report.head_seq.checked_sub(head.seq) else {
        return Ok(Some(format!(
            "the log ends at entry {}: entry {} was cut off",
            report.head_seq, head.seq
        )));
    };
    // More may have been written since the report.
    let newest = u32::try_from(after.saturating_add(1_000)).unwrap_or(u32::MAX);
    let filter = LogFilter { newest: Some(newest), ..LogFilter::default() };
    let mut connection = Connection::open(instance)?;
    let id = connection.send(&ControlRequest::LogList { filter }).await?;
    let mut found = None;
    loop {
        match connection.reply_to(id).await? {
            ControlReply::LogEntry(entry) if entry.seq == head.seq => found = Some(entry.hash),
            ControlReply::LogEntry(_) => {}
            ControlReply::Done {} => break,
            _ => return Err(Trouble::Unexpected),
        }
    }
    Ok((found.as_ref() != Some(&head.hash))
        .then(|| format!("entry {} is not the one you wrote down: the log was rewritten", head.seq)))
}

fn verdict(report: &LogReport) -> String {
    let checked = format!(
        "Checked {} entries, {} checkpoints and {} signatures.\nLast entry: {}:{}\n",
        report.entries, report.checkpoints, report.signatures, report.head_seq, report.head
    );
    if report.problems.is_empty() {
        return format!("{checked}The log is whole.\n");
    }
    let problems: String = report.problems.iter().map(|problem| format!("  {problem}\n")).collect();
    format!("{checked}The log is NOT whole:\n{problems}")
}

async fn write_out(instance: &Instance, export: LogExport) -> Result<(), Trouble> {
    let mut connection = Connection::open(instance)?;
    let id = connection.send(&ControlRequest::LogExport { redact: export.redact }).await?;
    let Some(path) = &export.file else {
        return copy(&mut connection, id, |line| output::print(&format!("{line}\n"))).await;
    };
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(folder::FILE_MODE)
        .open(path)
        .map_err(|error| not_made(path, error))?;
    let copied = copy(&mut connection, id, |line| {
        writeln!(file, "{line}").map_err(|error| Trouble::file(path, error))
    });
    match copied.await {
        Ok(()) => file.sync_all().map_err(|error| Trouble::file(path, error)),
        Err(trouble) => {
            // Half an export would look like a whole one.
            let _ = fs::remove_file(path);
            Err(trouble)
        }
    }
}

async fn copy(
    connection: &mut Connection,
    id: u64,
    mut write: impl FnMut(&str) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    loop {
        match connection.reply_to(id).await? {
            ControlReply::ExportLine { line } => write(&line)?,
            ControlReply::Done {} => return Ok(()),
            _ => return Err(Trouble::Unexpected),
        }
    }
}

fn not_made(path: &Path, error: io::Error) -> Trouble {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return Trouble::said(
            format!("`{}` is there already; it was left as it is.", path.display()),
            "Give another name, or move it away.",
        );
    }
    Trouble::file(path, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_number_and_a_whole_hash() {
        let hash = "AB".repeat(32);
        let head: Head = format!("7:{hash}").parse().unwrap();
        assert_eq!(head, Head { seq: 7, hash: hash.to_lowercase() });
        for bad in [hash.as_str(), "7:", "7:abcd", &format!("0:{hash}"), &format!("x:{hash}"), ""] {
            assert!(bad.parse::<Head>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_flawed_log_is_never_called_whole() {
        let mut report = LogReport {
            entries: 2,
            head_seq: 2,
            head: "cd".repeat(32),
            checkpoints: 1,
            signatures: 3,
            problems: vec![],
        };
        assert!(verdict(&report).ends_with("The log is whole.\n"));
        report.problems.push("entry 2 is not linked to the one before".into());
        let text = verdict(&report);
        assert!(text.contains("NOT whole:\n  entry 2") && !text.contains("is whole"), "{text}");
    }
}
