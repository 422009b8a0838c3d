//! What redirects do to their targets.

use countersign_proto::request::{Class, Level};

use super::{Around, Judge};
use crate::classify::{
    facts::{Place, Reach},
    finding::Finding,
    path,
    program::entry::{LOSES_FILE, OUTSIDE_ASKS, WRITE_WIDE},
    shell::part::{How, Part, Redirect},
};

impl Judge<'_> {
    /// What a command's redirects do.
    pub(super) fn redirects(&mut self, part: &Part, around: &Around) -> Finding {
        let mut finding = Finding::of(Class::Read, Level::Green, Reach::Class);
        for redirect in &part.redirects {
            finding.worsen(self.redirect(redirect, around));
        }
        finding
    }

    fn redirect(&mut self, redirect: &Redirect, around: &Around) -> Finding {
        let written = redirect.target.text.as_str();
        if written.contains("/dev/tcp/") || written.contains("/dev/udp/") {
            return OUTSIDE_ASKS.because("Opens a connection.").finding();
        }
        let (does, is_changed) = match redirect.how {
            How::Read => (Finding::of(Class::Read, Level::Green, Reach::Class), false),
            How::Over => (LOSES_FILE.because("Overwrites a file.").finding(), true),
            How::Append | How::Both => (WRITE_WIDE.because("Writes to a file.").finding(), true),
        };
        let class = does.class;
        let mut finding = Finding::of(Class::Read, Level::Green, Reach::Class);
        let mut is_exempt = true;
        for folder in around.folders.all() {
            let fact = path::locate(self.scene, folder.as_deref(), written, is_changed);
            is_exempt &= fact.place == Place::Exempt;
            finding.worsen(path::weigh(&fact, class));
            self.note_path(fact);
        }
        if !redirect.target.is_known || redirect.target.is_glob {
            finding.worsen(Finding::of(Class::Read, Level::Yellow, Reach::Never));
            is_exempt = false;
        }
        if !is_exempt {
            finding.worsen(does);
        }
        finding
    }
}
