import { filterFields, OPEN_RESOURCES, RESOURCES } from '../../../core/resources/registry.ts'
import { indexName } from '../pages.ts'

/**
 * The schema of a new database. The id of a row is the serial encoded in its wire id, so order by id is order by creation.
 * Columns of filters and of what is unique are normalised and bounded: see filterColumns and `bounded`. Texts compare by
 * their bytes. An index on a column ends with the negative id, so that only it gives both the equality and the order: the
 * planner has no reason to walk the primary key instead.
 *
 * No foreign key refers to webhooks or events: writers follow one another, and a check for each delivery would cost as much as
 * the delivery.
 */
export const SCHEMA = `
  CREATE TABLE sequence (
    only_row integer PRIMARY KEY CHECK (only_row = 1),
    last_serial bigint NOT NULL,
    rules_version bigint NOT NULL
  ) WITH (fillfactor = 10);
  INSERT INTO sequence VALUES (1, 0, 1);

  -- The last transaction of each process, which it looks for when the answer to COMMIT is lost.
  CREATE TABLE writers (
    name text COLLATE "C" PRIMARY KEY,
    last_commit bigint NOT NULL,
    at_ms bigint NOT NULL
  ) WITH (fillfactor = 10);

  CREATE TABLE deals (
    id bigint PRIMARY KEY,
    version bigint NOT NULL,
    text text NOT NULL,
    name text COLLATE "C" NOT NULL,
    stage text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C",
    pipeline_id text COLLATE "C" NOT NULL,
    amount double precision
  );
  CREATE INDEX deals_by_name ON deals (name, (-id));
  CREATE INDEX deals_by_owner ON deals (owner_id, (-id));
  CREATE INDEX deals_by_stage ON deals (stage, (-id));
  CREATE INDEX deals_by_pipeline ON deals (pipeline_id, (-id));

  CREATE TABLE notes (
    id bigint PRIMARY KEY,
    version bigint NOT NULL,
    text text NOT NULL,
    deal_id bigint NOT NULL REFERENCES deals ON DELETE CASCADE
  );
  CREATE INDEX notes_by_deal ON notes (deal_id, (-id));

  -- Old secrets are [{secret, until_ms}]. failing_since_ms: since when no attempt has succeeded.
  CREATE TABLE webhooks (
    id bigint PRIMARY KEY,
    version bigint NOT NULL,
    text text NOT NULL,
    url text NOT NULL,
    events text NOT NULL,
    secret text NOT NULL,
    old_secrets text NOT NULL DEFAULT '[]',
    failing_since_ms bigint
  );

  CREATE TABLE pipelines (place integer PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, name text NOT NULL);
  CREATE TABLE stages (
    pipeline_id text COLLATE "C" NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    place integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    probability double precision,
    PRIMARY KEY (pipeline_id, id),
    UNIQUE (pipeline_id, name)
  );

  -- A rate of 0 requests means no limit.
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    hash text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    last_four text NOT NULL,
    scopes text NOT NULL,
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    rate_requests bigint,
    rate_window_ms bigint,
    last_used_at_ms bigint
  );
  CREATE TABLE key_uses (
    hour_ms bigint NOT NULL,
    key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    action text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    refused_count bigint NOT NULL,
    last_at_ms bigint NOT NULL,
    last_address text NOT NULL,
    PRIMARY KEY (hour_ms, key_id, action)
  );
  -- The requests of a key in a window; after a crash they count from zero.
  CREATE UNLOGGED TABLE rate_windows (
    key_id text COLLATE "C" NOT NULL,
    window_ms bigint NOT NULL,
    number bigint NOT NULL,
    taken bigint NOT NULL,
    PRIMARY KEY (key_id, window_ms)
  ) WITH (fillfactor = 50);

  CREATE TABLE idempotency (
    key text COLLATE "C" PRIMARY KEY,
    at_ms bigint NOT NULL,
    fingerprint text NOT NULL,
    status integer NOT NULL,
    location text,
    etag text,
    body text NOT NULL
  );
  CREATE INDEX idempotency_by_age ON idempotency (at_ms);

  -- An ended delivery is kept as a log entry until kept_until_ms. claim: the process, and the end of its claim by its clock.
  CREATE TABLE events (id bigint PRIMARY KEY, kind text NOT NULL, text text NOT NULL);
  CREATE TABLE deliveries (
    event_id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    attempts integer NOT NULL,
    next_at_ms bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    claim text,
    failing_since_ms bigint,
    last_at_ms bigint,
    last_status integer,
    last_error text,
    kept_until_ms bigint,
    PRIMARY KEY (webhook_id, event_id)
  );
  CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at_ms, event_id) WHERE state IN ('pending', 'sending');
  CREATE INDEX deliveries_open ON deliveries (record_id, webhook_id, event_id)
    WHERE state IN ('waiting', 'pending', 'sending');
  CREATE INDEX deliveries_backlog ON deliveries (event_id, failing_since_ms) WHERE kept_until_ms IS NULL;
  CREATE INDEX deliveries_kept ON deliveries (kept_until_ms) WHERE kept_until_ms IS NOT NULL;
  CREATE INDEX deliveries_of_event ON deliveries (event_id);

  CREATE TABLE unique_fields (
    resource text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    PRIMARY KEY (resource, member)
  );
  CREATE TABLE unique_field_values (
    resource text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    record_id bigint NOT NULL,
    PRIMARY KEY (resource, member, value),
    FOREIGN KEY (resource, member) REFERENCES unique_fields ON DELETE CASCADE
  );
  CREATE INDEX unique_field_values_by_record ON unique_field_values (resource, record_id);

  -- The changes of records; the id is a serial, and so the time. Values are NULL once the record is deleted.
  CREATE TABLE history (
    id bigint PRIMARY KEY,
    resource text COLLATE "C" NOT NULL,
    record_id bigint NOT NULL,
    action text NOT NULL,
    version bigint NOT NULL,
    previous_at_ms bigint,
    fields text NOT NULL,
    old_values text,
    new_values text,
    key_id text COLLATE "C",
    job text COLLATE "C",
    request_id text
  );
  CREATE INDEX history_by_record ON history (record_id, (-id));
  CREATE INDEX history_by_resource ON history (resource, (-id));
  CREATE INDEX history_by_key ON history (key_id, (-id));
  CREATE INDEX history_by_job ON history (job, (-id)) WHERE job IS NOT NULL;

  -- The states of runs of fixtures, which clients keep here, and their locks. is_ended: nothing of the run exists any more.
  CREATE TABLE fixture_runs (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    is_ended integer NOT NULL,
    lock_token text,
    lock_owner text,
    locked_until_ms bigint,
    state text
  );
`

/** The steps from the first schema (version 1) to the current one. A released step never changes. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE history (
    id bigint PRIMARY KEY,
    resource text COLLATE "C" NOT NULL,
    record_id bigint NOT NULL,
    action text NOT NULL,
    version bigint NOT NULL,
    previous_at_ms bigint,
    fields text NOT NULL,
    old_values text,
    new_values text,
    key_id text COLLATE "C",
    job text COLLATE "C",
    request_id text
  );
  CREATE INDEX history_by_record ON history (record_id, (-id));
  CREATE INDEX history_by_resource ON history (resource, (-id));
  CREATE INDEX history_by_key ON history (key_id, (-id));
  CREATE INDEX history_by_job ON history (job, (-id)) WHERE job IS NOT NULL;
  `,
  `
  CREATE TABLE fixture_runs (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    is_ended integer NOT NULL,
    lock_token text,
    lock_owner text,
    locked_until_ms bigint,
    state text
  );
  `,
]

export const SCHEMA_VERSION = versionAfter(MIGRATIONS)

/** That of a database after these steps. */
export function versionAfter(steps: readonly string[]): number {
  return 1 + steps.length
}

/** The tables of open resources that a database lacks. */
export function plainTables(): string {
  return OPEN_RESOURCES.map((resource) => {
    const { plural } = RESOURCES[resource]
    const filters = filterFields(resource)
    const own = filters.map((name) => `, ${name} text COLLATE "C"`).join('')
    const table = `CREATE TABLE IF NOT EXISTS ${plural} (
      id bigint PRIMARY KEY, version bigint NOT NULL, text text NOT NULL${own})`
    const indexes = filters.map(
      (name) => `CREATE INDEX IF NOT EXISTS ${indexName(plural, name)} ON ${plural} (${name}, (-id))`,
    )
    return [table, ...indexes].join('; ')
  }).join('; ')
}
