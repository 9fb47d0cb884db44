/**
 * The schema of a new database. The id of a row is the serial encoded in its wire id, so order by id is order by creation and
 * needs no index. An index on a column contains the id too, which suffices for an equality and a scan back in time.
 *
 * A change is made here and as a step in migrations.ts; a test compares the results. New columns come after existing ones.
 */
export const SCHEMA = `
  CREATE TABLE sequence (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), last_serial INTEGER NOT NULL) STRICT;
  INSERT INTO sequence VALUES (1, 0);

  -- Columns of filters are normalised: see filterColumns in change-rules.ts.
  CREATE TABLE contacts (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    email TEXT,
    name TEXT,
    phone TEXT,
    company TEXT,
    owner_id TEXT
  ) STRICT;
  CREATE INDEX contacts_by_email ON contacts (email);
  CREATE INDEX contacts_by_name ON contacts (name);
  CREATE INDEX contacts_by_phone ON contacts (phone);
  CREATE INDEX contacts_by_company ON contacts (company);
  CREATE INDEX contacts_by_owner ON contacts (owner_id);

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

  -- Old secrets are [{secret, until_ms}]. failing_since_ms: since when no attempt has succeeded.
  CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    text TEXT NOT NULL,
    old_secrets TEXT NOT NULL DEFAULT '[]',
    failing_since_ms INTEGER
  ) STRICT;

  CREATE TABLE pipelines (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
  CREATE TABLE stages (
    pipeline_id TEXT NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    probability REAL,
    place INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (pipeline_id, id),
    UNIQUE (pipeline_id, name)
  ) STRICT;

  -- A rate of 0 requests means no limit.
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    last_four TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    revoked_at_ms INTEGER,
    rate_requests INTEGER,
    rate_window_ms INTEGER,
    last_used_at_ms INTEGER
  ) STRICT;
  CREATE TABLE key_uses (
    hour_ms INTEGER NOT NULL,
    key_id TEXT NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    action TEXT NOT NULL,
    count INTEGER NOT NULL,
    refused_count INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL,
    last_address TEXT NOT NULL,
    PRIMARY KEY (hour_ms, key_id, action)
  ) STRICT, WITHOUT ROWID;

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

  -- An ended delivery is kept as a log entry until kept_until_ms; delivery-order.ts describes the states of open ones. claim:
  -- the process, and the end of its claim by its clock.
  CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE deliveries (
    event_id INTEGER NOT NULL REFERENCES events ON DELETE CASCADE,
    webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    record_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    failing_since_ms INTEGER,
    last_at_ms INTEGER,
    last_status INTEGER,
    last_error TEXT,
    kept_until_ms INTEGER,
    claim TEXT,
    PRIMARY KEY (event_id, webhook_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at_ms) WHERE state IN ('pending', 'sending');
  CREATE INDEX deliveries_open ON deliveries (webhook_id, record_id, failing_since_ms)
    WHERE state IN ('waiting', 'pending', 'sending');
  -- What ended, by its time, and what is open (NULL), to be counted without the table.
  CREATE INDEX deliveries_kept ON deliveries (kept_until_ms, event_id, failing_since_ms);
  CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, event_id);
  CREATE TRIGGER events_end_with_deliveries AFTER DELETE ON deliveries BEGIN
    DELETE FROM events WHERE id = OLD.event_id
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = OLD.event_id);
  END;

  -- The unique members of open resources, and their normalised values. As each resource has its own table, no foreign key
  -- removes the values of a deleted record.
  CREATE TABLE unique_fields (
    resource TEXT NOT NULL,
    member TEXT NOT NULL,
    PRIMARY KEY (resource, member)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE unique_field_values (
    resource TEXT NOT NULL,
    member TEXT NOT NULL,
    value TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    PRIMARY KEY (resource, member, value),
    FOREIGN KEY (resource, member) REFERENCES unique_fields ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX unique_field_values_by_record ON unique_field_values (resource, record_id);

  -- The changes of records; the id is a serial, and so the time. Values are NULL once the record is deleted.
  CREATE TABLE history (
    id INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    record_id INTEGER NOT NULL,
    action TEXT NOT NULL,
    version INTEGER NOT NULL,
    previous_at_ms INTEGER,
    fields TEXT NOT NULL,
    old_values TEXT,
    new_values TEXT,
    key_id TEXT,
    job TEXT,
    request_id TEXT
  ) STRICT;
  CREATE INDEX history_by_record ON history (record_id);
  CREATE INDEX history_by_resource ON history (resource);
  CREATE INDEX history_by_key ON history (key_id);
  CREATE INDEX history_by_job ON history (job) WHERE job IS NOT NULL;

  -- The states of runs of fixtures, which clients keep here, and their locks. is_ended: nothing of the run exists any more.
  CREATE TABLE fixture_runs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    is_ended INTEGER NOT NULL,
    lock_token TEXT,
    lock_owner TEXT,
    locked_until_ms INTEGER,
    state TEXT
  ) STRICT;
`
