-- Frozen: a change is a new file with the next number.
-- What a person decided before: rules, consents, settings; and what sessions have shown of themselves.

-- Whose word a decision rests on may now be something decided before. SQLite can't change a check in place.
CREATE TABLE decisions_2 (
    request_id BLOB NOT NULL PRIMARY KEY REFERENCES requests (request_id),
    answer TEXT NOT NULL CHECK (answer IN ('allow', 'deny', 'abstain')),
    source TEXT NOT NULL CHECK (source IN
        ('click', 'terminal', 'phone', 'lock', 'green', 'rule', 'policy', 'refused')),
    device_id BLOB REFERENCES approvers (device_id),
    counter INTEGER,
    decision TEXT,
    basis BLOB CHECK (length(basis) = 16),
    CHECK ((source = 'phone') = (device_id IS NOT NULL AND counter IS NOT NULL AND decision IS NOT NULL)),
    CHECK (source IN ('green', 'rule', 'policy') OR basis IS NULL),
    CHECK (source <> 'refused' OR answer = 'deny'),
    CHECK (source NOT IN ('green', 'rule') OR (answer = 'allow' AND basis IS NOT NULL))
) STRICT;

INSERT INTO decisions_2 (request_id, answer, source, device_id, counter, decision)
SELECT request_id, answer, source, device_id, counter, decision FROM decisions ORDER BY rowid;

DROP TABLE decisions;

ALTER TABLE decisions_2 RENAME TO decisions;

CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stays'); END;

CREATE TRIGGER decisions_stay_as_they_are BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision stays as it is'); END;

-- Rules for projects. Rules for a session are never written. What a rule matches may hold a secret, so it is sealed.
CREATE TABLE rules (
    rule_id BLOB NOT NULL PRIMARY KEY CHECK (length(rule_id) = 16),
    device_id BLOB REFERENCES approvers (device_id),
    is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1)),
    sealed BLOB NOT NULL
) STRICT;

-- Texts that a person accepted, ended ones included; a consent that ended stays ended.
CREATE TABLE consents (
    consent_id BLOB NOT NULL PRIMARY KEY CHECK (length(consent_id) = 16),
    state TEXT NOT NULL,
    sealed BLOB NOT NULL
) STRICT;

CREATE TRIGGER consents_stay BEFORE DELETE ON consents
BEGIN SELECT RAISE(ABORT, 'a consent stays'); END;

CREATE TRIGGER consents_stay_ended BEFORE UPDATE OF state ON consents
WHEN OLD.state NOT IN ('accepted', 'suspended') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a consent that ended stays ended'); END;

-- Sessions that read outside content or ran what nobody answered.
CREATE TABLE marks (
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    is_tainted INTEGER NOT NULL CHECK (is_tainted IN (0, 1)),
    off TEXT,
    PRIMARY KEY (agent, session)
) STRICT;

CREATE TABLE settings (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, value)
) STRICT, WITHOUT ROWID;
