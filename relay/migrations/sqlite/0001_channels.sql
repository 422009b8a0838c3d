-- A channel: two public keys and when it ends. Nothing here names a person, an address or an envelope.
CREATE TABLE channel (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    key0          BLOB    NOT NULL CHECK (length(key0) = 32),
    key1          BLOB    NOT NULL CHECK (length(key1) = 32),
    -- Seconds since 1970, or NULL for a channel that ends only when it was idle for long.
    ends_at       INTEGER,
    -- Days since 1970: enough to find idle channels, and no finer than that.
    last_used_day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX channel_ends_at ON channel (ends_at) WHERE ends_at IS NOT NULL;
CREATE INDEX channel_last_used_day ON channel (last_used_day);
