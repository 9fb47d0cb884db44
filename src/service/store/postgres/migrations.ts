import { additions } from '../schema.ts'

/** The steps from the first schema (version 1) to the current one. A released step never changes; new ones are of `additions`. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE history (id bigint PRIMARY KEY, resource text COLLATE "C" NOT NULL, record_id bigint NOT NULL, action
    text NOT NULL, version bigint NOT NULL, previous_at_ms bigint, fields text NOT NULL, old_values text, new_values
    text, key_id text COLLATE "C", job text COLLATE "C", request_id text);
  CREATE INDEX history_by_record ON history (record_id, (-id));
  CREATE INDEX history_by_resource ON history (resource, (-id));
  CREATE INDEX history_by_key ON history (key_id, (-id));
  CREATE INDEX history_by_job ON history (job, (-id)) WHERE job IS NOT NULL;
  `,
  `
  CREATE TABLE fixture_runs (id text COLLATE "C" PRIMARY KEY, name text NOT NULL, created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL, is_ended integer NOT NULL, lock_token text, lock_owner text, locked_until_ms
    bigint, state text);
  `,
  ...additions('postgres'),
]

export const SCHEMA_VERSION = versionAfter(MIGRATIONS)

/** That of a database after these steps. */
export function versionAfter(steps: readonly string[]): number {
  return 1 + steps.length
}
