/** The schema of the first release, from which old databases are migrated. */
export const FIRST_SCHEMA = `
  CREATE TABLE sequence (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), last_serial INTEGER NOT NULL) STRICT;
  INSERT INTO sequence VALUES (1, 0);

  CREATE TABLE contacts (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT;

  CREATE TABLE deals (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    stage TEXT NOT NULL,
    owner_id TEXT,
    pipeline_id TEXT NOT NULL,
    amount REAL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deals_by_name ON deals (name);
  CREATE INDEX deals_by_owner ON deals (owner_id);
  CREATE INDEX deals_by_stage ON deals (stage);
  CREATE INDEX deals_by_pipeline ON deals (pipeline_id);

  CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    deal_id INTEGER NOT NULL REFERENCES deals ON DELETE CASCADE,
    version INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notes_by_deal ON notes (deal_id);

  CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;

  CREATE TABLE pipelines (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
  CREATE TABLE stages (
    pipeline_id TEXT NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    probability REAL,
    PRIMARY KEY (pipeline_id, id),
    UNIQUE (pipeline_id, name)
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    last_four TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER
  ) STRICT;

  CREATE TABLE idempotency (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    at_ms INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    etag TEXT,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE deliveries (
    event_id INTEGER NOT NULL REFERENCES events ON DELETE CASCADE,
    webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    record_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (event_id, webhook_id)
  ) STRICT, WITHOUT ROWID;
`
