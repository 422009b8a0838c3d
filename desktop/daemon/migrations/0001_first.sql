-- Frozen: a change is a new file with the next number.
-- Everything the daemon must not forget. Ids and hashes are raw bytes, times are milliseconds since 1970.

PRAGMA application_id = 1129531214; -- "CSGN"

-- The installation itself: `log_id`, `locked`, and the desktop's key, sealed.
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Paired phones, revoked ones too. A revoked phone stays revoked and a counter never falls.
CREATE TABLE approvers (
    device_id BLOB NOT NULL PRIMARY KEY CHECK (length(device_id) = 16),
    name TEXT NOT NULL,
    model TEXT NOT NULL,
    device_key BLOB NOT NULL UNIQUE CHECK (length(device_key) = 32),
    bio_key BLOB NOT NULL UNIQUE,
    strength TEXT NOT NULL CHECK (strength IN ('demo', 'tee', 'strongbox')),
    paired_ms INTEGER NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('active', 'bad_signatures', 'counter_fell', 'revoked')),
    counter INTEGER NOT NULL DEFAULT 0 CHECK (counter >= 0)
) STRICT;

CREATE TRIGGER approvers_stay BEFORE DELETE ON approvers
BEGIN SELECT RAISE(ABORT, 'an approver is revoked, never removed'); END;

CREATE TRIGGER approvers_stay_revoked BEFORE UPDATE OF standing ON approvers
WHEN OLD.standing = 'revoked' AND NEW.standing <> 'revoked'
BEGIN SELECT RAISE(ABORT, 'a revoked phone stays revoked'); END;

CREATE TRIGGER approvers_keep_counting BEFORE UPDATE OF counter ON approvers
WHEN NEW.counter <= OLD.counter
BEGIN SELECT RAISE(ABORT, 'a counter only ever grows'); END;

-- The approval key's attestation chain, DER, leaf first.
CREATE TABLE certificates (
    device_id BLOB NOT NULL REFERENCES approvers (device_id),
    position INTEGER NOT NULL,
    der BLOB NOT NULL,
    PRIMARY KEY (device_id, position)
) STRICT, WITHOUT ROWID;

-- What opens sessions with a phone: secrets sealed, gone when it is revoked.
CREATE TABLE pairings (
    device_id BLOB NOT NULL PRIMARY KEY REFERENCES approvers (device_id),
    relay TEXT NOT NULL,
    pin BLOB CHECK (length(pin) = 32),
    plain INTEGER NOT NULL CHECK (plain IN (0, 1)),
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Channels of revoked phones that their relays have not deleted yet.
CREATE TABLE channel_ends (
    channel BLOB NOT NULL PRIMARY KEY CHECK (length(channel) = 16),
    relay TEXT NOT NULL,
    pin BLOB CHECK (length(pin) = 32),
    plain INTEGER NOT NULL CHECK (plain IN (0, 1)),
    since_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Bytes that are kept for a while and hashed into the log for good. `kind` keeps hashes of different labels apart.
CREATE TABLE blobs (
    kind TEXT NOT NULL CHECK (kind IN ('raw', 'request', 'offer', 'reply')),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    seen_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (kind, hash)
) STRICT;

CREATE INDEX blobs_by_age ON blobs (seen_ms);

CREATE TABLE requests (
    request_id BLOB NOT NULL PRIMARY KEY CHECK (length(request_id) = 16),
    run_id BLOB NOT NULL CHECK (length(run_id) = 16),
    binding BLOB NOT NULL CHECK (length(binding) = 32),
    raw_hash BLOB NOT NULL CHECK (length(raw_hash) = 32),
    state TEXT NOT NULL CHECK (state IN
        ('pending', 'releasing', 'released', 'unreleased', 'unknown', 'expired', 'cancelled'))
) STRICT;

CREATE INDEX requests_unfinished ON requests (state) WHERE state IN ('pending', 'releasing');

-- A request that is over stays over.
CREATE TRIGGER requests_move_on BEFORE UPDATE OF state ON requests
WHEN NOT (
    (OLD.state = 'pending' AND NEW.state IN ('releasing', 'expired', 'cancelled'))
    OR (OLD.state = 'releasing' AND NEW.state IN ('released', 'unreleased', 'unknown'))
)
BEGIN SELECT RAISE(ABORT, 'a request does not go back'); END;

CREATE TABLE decisions (
    request_id BLOB NOT NULL PRIMARY KEY REFERENCES requests (request_id),
    answer TEXT NOT NULL CHECK (answer IN ('allow', 'deny', 'abstain')),
    source TEXT NOT NULL CHECK (source IN ('click', 'terminal', 'phone', 'lock')),
    device_id BLOB REFERENCES approvers (device_id),
    counter INTEGER,
    decision TEXT,
    CHECK ((source = 'phone') = (device_id IS NOT NULL AND counter IS NOT NULL AND decision IS NOT NULL))
) STRICT;

CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stays'); END;

CREATE TRIGGER decisions_stay_as_they_are BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stays as it is'); END;

CREATE TABLE offers (
    offer_id BLOB NOT NULL PRIMARY KEY CHECK (length(offer_id) = 16),
    request_id BLOB NOT NULL REFERENCES requests (request_id),
    device_id BLOB NOT NULL REFERENCES approvers (device_id),
    run_id BLOB NOT NULL CHECK (length(run_id) = 16),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    seq INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('open', 'answered', 'superseded', 'expired', 'cancelled', 'revoked'))
) STRICT;

CREATE INDEX offers_of_requests ON offers (request_id);
CREATE INDEX offers_of_approvers ON offers (device_id, seq);

CREATE TRIGGER offers_stay_closed BEFORE UPDATE OF state ON offers
WHEN OLD.state <> 'open' OR NEW.state = 'open'
BEGIN SELECT RAISE(ABORT, 'an offer that is over stays over'); END;

CREATE TABLE replies (
    device_id BLOB NOT NULL REFERENCES approvers (device_id),
    counter INTEGER NOT NULL,
    offer_id BLOB UNIQUE REFERENCES offers (offer_id),
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    PRIMARY KEY (device_id, counter)
) STRICT;

CREATE TRIGGER replies_stay BEFORE DELETE ON replies
BEGIN SELECT RAISE(ABORT, 'an accepted reply stays'); END;

CREATE TRIGGER replies_stay_as_they_are BEFORE UPDATE ON replies
BEGIN SELECT RAISE(ABORT, 'an accepted reply stays as it is'); END;

CREATE TABLE receipts (
    reply_hash BLOB NOT NULL PRIMARY KEY CHECK (length(reply_hash) = 32),
    signed BLOB NOT NULL
) STRICT;

-- The audit log. What it is looked up by is repeated beside the entry's bytes; only the bytes are hashed.
CREATE TABLE audit (
    seq INTEGER NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    bytes BLOB NOT NULL,
    wall_ms INTEGER NOT NULL,
    event TEXT NOT NULL,
    request_id BLOB,
    device_id BLOB,
    session TEXT
) STRICT;

CREATE INDEX audit_by_request ON audit (request_id) WHERE request_id IS NOT NULL;

CREATE TRIGGER audit_follows BEFORE INSERT ON audit
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM audit)
BEGIN SELECT RAISE(ABORT, 'an audit entry follows the last one'); END;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_stays_as_it_is BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TABLE checkpoints (
    seq INTEGER NOT NULL PRIMARY KEY REFERENCES audit (seq),
    signed BLOB NOT NULL
) STRICT;

CREATE TRIGGER checkpoints_stay BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER checkpoints_stay_as_they_are BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
