//! What was signed and is not confirmed yet: the same bytes go out again, in this session and the next, until a receipt
//! comes or nobody can know any more. No second finger is ever needed for them (protocol.md §7.7).

use countersign_proto::{
    id::{Hash, OfferId},
    limits,
    message::{Message, SignedBytes},
    receipt::Receipt,
    reply::{Decision, Reply, SignedReply},
};

use crate::clock::{Now, millis};

/// When something unconfirmed goes out again for the first time, in ms; then twice as long each time.
const AGAIN_MS: u64 = 3_000;
const AGAIN_MOST_MS: u64 = 30_000;
/// After so many sendings in one session without a word the session itself is in doubt.
const DOUBT: u32 = 3;

/// Replies and a lock on their way, in the order they were signed.
#[derive(Debug, Default)]
pub(crate) struct Sent(Vec<Unconfirmed>);

/// One signed word.
#[derive(Debug)]
struct Unconfirmed {
    what: What,
    message: Message,
    hash: Hash,
    again_ms: u64,
    sendings: u32,
}

#[derive(Debug)]
enum What {
    /// After the deadline it still goes out for a while: it can't settle anything then, but the desktop's receipt says
    /// whether it did before.
    Reply {
        offer_id: OfferId,
        decision: Decision,
        deadline_ms: u64,
    },
    Lock {
        counter: u64,
    },
}

/// What goes out now.
#[derive(Debug)]
pub(crate) struct Due {
    /// Messages with their deadlines, in the order they were signed.
    pub(crate) messages: Vec<(Message, Option<u64>)>,
    /// Whether the desktop should have answered by now.
    pub(crate) doubt: bool,
}

impl Sent {
    /// A reply was signed.
    pub(crate) fn push_reply(&mut self, reply: &Reply, signed: SignedReply, deadline_ms: u64) {
        let hash = Receipt::reply_hash(&signed.bytes);
        let what = What::Reply { offer_id: reply.offer_id, decision: reply.decision, deadline_ms };
        self.0.push(Unconfirmed::new(what, Message::Reply(signed), hash));
    }

    /// A lock was signed.
    pub(crate) fn push_lock(&mut self, counter: u64, signed: SignedBytes) {
        let hash = Receipt::reply_hash(&signed.bytes);
        self.0.push(Unconfirmed::new(What::Lock { counter }, Message::Lock(signed), hash));
    }

    /// Whether a lock is on its way.
    pub(crate) fn is_locking(&self) -> bool {
        self.0.iter().any(|sent| matches!(sent.what, What::Lock { .. }))
    }

    /// The desktop is locked.
    pub(crate) fn locked(&mut self) {
        self.0.retain(|sent| matches!(sent.what, What::Reply { .. }));
    }

    /// The desktop has seen this counter: a lock up to it took effect.
    pub(crate) fn known(&mut self, known: u64) {
        self.0.retain(|sent| match sent.what {
            What::Reply { .. } => true,
            What::Lock { counter } => counter > known,
        });
    }

    /// The offer whose reply a receipt is for, byte by byte; it is confirmed now.
    pub(crate) fn confirm(&mut self, reply: Hash) -> Option<OfferId> {
        let place = self.0.iter().position(|sent| sent.hash == reply && sent.offer_id().is_some())?;
        self.0.remove(place).offer_id()
    }

    /// Whether a receipt is for the lock on its way; it is over now.
    pub(crate) fn confirm_lock(&mut self, lock: Hash) -> bool {
        let before = self.0.len();
        self.0.retain(|sent| sent.hash != lock || sent.offer_id().is_some());
        self.0.len() < before
    }

    /// A new session: everything goes out again.
    pub(crate) fn again(&mut self, now: Now) {
        for sent in &mut self.0 {
            sent.sendings = 0;
            sent.again_ms = now.boot_ms;
        }
    }

    /// What goes out now.
    pub(crate) fn due(&mut self, now: Now) -> Due {
        let due: Vec<&mut Unconfirmed> =
            self.0.iter_mut().filter(|sent| sent.again_ms <= now.boot_ms).collect();
        let doubt = due.iter().any(|sent| sent.sendings == DOUBT);
        Due { messages: due.into_iter().map(|sent| sent.send(now)).collect(), doubt }
    }

    /// Takes out the replies that nobody will confirm any more.
    pub(crate) fn given_up(&mut self, now: Now) -> Vec<(OfferId, Decision)> {
        let over = self.0.extract_if(.., |sent| sent.give_up_ms().is_some_and(|at| at <= now.boot_ms));
        over.filter_map(|sent| match sent.what {
            What::Reply { offer_id, decision, .. } => Some((offer_id, decision)),
            What::Lock { .. } => None,
        })
        .collect()
    }

    /// When something goes out again, if a session is up.
    pub(crate) fn next_again(&self) -> Option<u64> {
        self.0.iter().map(|sent| sent.again_ms).min()
    }

    /// When a reply is given up.
    pub(crate) fn next_give_up(&self) -> Option<u64> {
        self.0.iter().filter_map(Unconfirmed::give_up_ms).min()
    }
}

#[cfg(test)]
impl Sent {
    /// The replies on their way.
    pub(crate) fn replies(&self) -> Vec<SignedReply> {
        let replies = self.0.iter().filter_map(|sent| match &sent.message {
            Message::Reply(signed) => Some(signed.clone()),
            _ => None,
        });
        replies.collect()
    }
}

impl Unconfirmed {
    const fn new(what: What, message: Message, hash: Hash) -> Self {
        Self { what, message, hash, again_ms: 0, sendings: 0 }
    }

    const fn offer_id(&self) -> Option<OfferId> {
        match self.what {
            What::Reply { offer_id, .. } => Some(offer_id),
            What::Lock { .. } => None,
        }
    }

    const fn deadline_ms(&self) -> Option<u64> {
        match self.what {
            What::Reply { deadline_ms, .. } => Some(deadline_ms),
            What::Lock { .. } => None,
        }
    }

    fn give_up_ms(&self) -> Option<u64> {
        self.deadline_ms().map(|deadline_ms| deadline_ms.saturating_add(millis(limits::REPLY_TTL)))
    }

    fn send(&mut self, now: Now) -> (Message, Option<u64>) {
        let wait = AGAIN_MS.saturating_mul(1 << self.sendings.min(4)).min(AGAIN_MOST_MS);
        self.again_ms = now.boot_ms.saturating_add(wait);
        self.sendings = self.sendings.saturating_add(1);
        (self.message.clone(), self.deadline_ms())
    }
}
