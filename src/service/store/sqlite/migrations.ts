import { additions } from '../schema.ts'

/** The steps from the first schema (version 1) to the current one. A released step never changes; new ones are of `additions`. */
export const MIGRATIONS: readonly string[] = [
  `
  ALTER TABLE deliveries ADD COLUMN failing_since_ms INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_at_ms INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_status INTEGER;
  ALTER TABLE deliveries ADD COLUMN last_error TEXT;
  ALTER TABLE deliveries ADD COLUMN kept_until_ms INTEGER;
  CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at_ms) WHERE state IN ('pending', 'sending');
  CREATE INDEX deliveries_open ON deliveries (webhook_id, record_id, failing_since_ms) WHERE state IN ('waiting',
    'pending', 'sending');
  CREATE INDEX deliveries_kept ON deliveries (kept_until_ms) WHERE kept_until_ms IS NOT NULL;
  UPDATE deliveries SET state = 'waiting' WHERE EXISTS (SELECT 1 FROM deliveries AS earlier WHERE earlier.webhook_id =
    deliveries.webhook_id AND earlier.record_id = deliveries.record_id AND earlier.event_id < deliveries.event_id AND
    earlier.state IN ('waiting', 'pending', 'sending'));
  CREATE TRIGGER events_end_with_deliveries AFTER DELETE ON deliveries BEGIN DELETE FROM events WHERE id =
    OLD.event_id AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_id = OLD.event_id); END;
  `,
  `
  ALTER TABLE webhooks ADD COLUMN old_secrets TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE webhooks ADD COLUMN failing_since_ms INTEGER;
  CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, event_id);
  `,
  `
  ALTER TABLE api_keys ADD COLUMN rate_requests INTEGER;
  ALTER TABLE api_keys ADD COLUMN rate_window_ms INTEGER;
  ALTER TABLE api_keys ADD COLUMN last_used_at_ms INTEGER;
  CREATE TABLE key_uses (hour_ms INTEGER NOT NULL, key_id TEXT NOT NULL REFERENCES api_keys ON DELETE CASCADE, action
    TEXT NOT NULL, count INTEGER NOT NULL, refused_count INTEGER NOT NULL, last_at_ms INTEGER NOT NULL, last_address
    TEXT NOT NULL, PRIMARY KEY (hour_ms, key_id, action)) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE unique_members (member TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE unique_values (member TEXT NOT NULL REFERENCES unique_members ON DELETE CASCADE, value TEXT NOT NULL,
    contact_id INTEGER NOT NULL REFERENCES contacts ON DELETE CASCADE, PRIMARY KEY (member, value)) STRICT, WITHOUT
    ROWID;
  CREATE INDEX unique_values_by_contact ON unique_values (contact_id);
  `,
  `
  CREATE TABLE unique_fields (resource TEXT NOT NULL, member TEXT NOT NULL, PRIMARY KEY (resource, member)) STRICT,
    WITHOUT ROWID;
  CREATE TABLE unique_field_values (resource TEXT NOT NULL, member TEXT NOT NULL, value TEXT NOT NULL, record_id
    INTEGER NOT NULL, PRIMARY KEY (resource, member, value), FOREIGN KEY (resource, member) REFERENCES unique_fields
    ON DELETE CASCADE) STRICT, WITHOUT ROWID;
  CREATE INDEX unique_field_values_by_record ON unique_field_values (resource, record_id);
  INSERT INTO unique_fields SELECT 'contact', member FROM unique_members;
  INSERT INTO unique_field_values SELECT 'contact', member, value, contact_id FROM unique_values;
  DROP TABLE unique_values;
  DROP TABLE unique_members;
  `,
  // `contact_column(text, name)` is a function of open-database.ts.
  `
  ALTER TABLE contacts ADD COLUMN email TEXT;
  ALTER TABLE contacts ADD COLUMN name TEXT;
  ALTER TABLE contacts ADD COLUMN phone TEXT;
  ALTER TABLE contacts ADD COLUMN company TEXT;
  ALTER TABLE contacts ADD COLUMN owner_id TEXT;
  UPDATE contacts SET email = contact_column(text, 'email'), name = contact_column(text, 'name'), phone =
    contact_column(text, 'phone'), company = contact_column(text, 'company'), owner_id = contact_column(text,
    'owner_id');
  CREATE INDEX contacts_by_email ON contacts (email);
  CREATE INDEX contacts_by_name ON contacts (name);
  CREATE INDEX contacts_by_phone ON contacts (phone);
  CREATE INDEX contacts_by_company ON contacts (company);
  CREATE INDEX contacts_by_owner ON contacts (owner_id);
  `,
  `
  DROP INDEX deliveries_kept;
  CREATE INDEX deliveries_kept ON deliveries (kept_until_ms, event_id, failing_since_ms);
  `,
  `
  CREATE TABLE history (id INTEGER PRIMARY KEY, resource TEXT NOT NULL, record_id INTEGER NOT NULL, action TEXT NOT
    NULL, version INTEGER NOT NULL, previous_at_ms INTEGER, fields TEXT NOT NULL, old_values TEXT, new_values TEXT,
    key_id TEXT, job TEXT, request_id TEXT) STRICT;
  CREATE INDEX history_by_record ON history (record_id);
  CREATE INDEX history_by_resource ON history (resource);
  CREATE INDEX history_by_key ON history (key_id);
  CREATE INDEX history_by_job ON history (job) WHERE job IS NOT NULL;
  `,
  `
  CREATE TABLE fixture_runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at_ms INTEGER NOT NULL, updated_at_ms
    INTEGER NOT NULL, is_ended INTEGER NOT NULL, lock_token TEXT, lock_owner TEXT, locked_until_ms INTEGER, state
    TEXT) STRICT;
  `,
  `
  ALTER TABLE stages ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
  UPDATE stages SET place = rowid;
  `,
  'ALTER TABLE deliveries ADD COLUMN claim TEXT;',
  'ALTER TABLE sequence ADD COLUMN rules_version INTEGER NOT NULL DEFAULT 1;',
  ...additions('sqlite'),
]

/** The `user_version` of a current database. */
export const SCHEMA_VERSION = 1 + MIGRATIONS.length
