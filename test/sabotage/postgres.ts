import type { Sabotage } from './sabotage.ts'

const FOLDER = 'src/service/store/postgres'
const TESTS = 'test/service/store/postgres'

/** They run in the project `postgres`. */
export const POSTGRES: readonly Sabotage[] = [
  {
    name: 'a sender waits for the deliveries that another one claims',
    file: `${FOLDER}/deliveries.ts`,
    line: 'ORDER BY next_at_ms, event_id LIMIT $3 FOR UPDATE SKIP LOCKED',
    to: 'ORDER BY next_at_ms, event_id LIMIT $3 FOR UPDATE',
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'deliveries that a sender has claimed are taken by another one',
    file: `${FOLDER}/deliveries.ts`,
    line: 'ORDER BY next_at_ms, event_id LIMIT $3 FOR UPDATE SKIP LOCKED',
    to: 'ORDER BY next_at_ms, event_id LIMIT $3',
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'writers of several processes commit in any order',
    file: `${FOLDER}/sequence.ts`,
    line: 'SELECT last_serial, rules_version FROM sequence FOR UPDATE) AS held`',
    to: 'SELECT last_serial, rules_version FROM sequence) AS held`',
    tests: [`${TESTS}/late-commits.test.ts`],
  },
  {
    name: 'senders of other processes are not woken',
    file: `${FOLDER}/write-batch.ts`,
    line: "if (batch.events.isWritten) tx.atCommit(`NOTIFY ${DELIVERIES_CHANNEL}, '${context.name}'`)",
    to: '',
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'the end of a key is not notified',
    file: `${FOLDER}/api-keys.ts`,
    line: 'tx.atCommit(`NOTIFY ${KEYS_CHANNEL}`)',
    to: '',
    tests: [`${TESTS}/shared-keys.test.ts`],
  },
  {
    name: 'a claim never ends',
    file: `${FOLDER}/delivery-order.ts`,
    line: "export const IS_DUE_SOMETIME = `state IN ('pending', 'sending')`",
    to: "export const IS_DUE_SOMETIME = `state = 'pending'`",
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'the result of a claim that has ended counts',
    file: `${FOLDER}/delivery-results.ts`,
    line: "AND deliveries.state = 'sending' AND deliveries.claim = given.claim`",
    to: "AND deliveries.state = 'sending' AND given.claim IS NOT NULL`",
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'an event of a record overtakes an earlier one',
    file: `${FOLDER}/pending-events.ts`,
    line: "this.#deliveries.push({ ...line, eventSerial: serial, dueAtMs, state: isBehind ? 'waiting' : 'pending' })",
    to: "this.#deliveries.push({ ...line, eventSerial: serial, dueAtMs, state: 'pending' })",
    tests: [`${TESTS}/deliveries.test.ts`],
  },
  {
    name: 'a page begins with the oldest records',
    file: `${FOLDER}/pages.ts`,
    line: '`SELECT text FROM ${RESOURCES[resource].plural} WHERE id < $1 ORDER BY id DESC LIMIT $2`,',
    to: '`SELECT text FROM ${RESOURCES[resource].plural} WHERE id < $1 ORDER BY id LIMIT $2`,',
    tests: ['test/service/store/store.test.ts'],
  },
  {
    name: 'a key in use by another process is written with again',
    file: `${FOLDER}/write-batch.ts`,
    line: "if (idempotency && answers.isBusy(idempotency.key)) return { result: { type: 'key_in_use' } }",
    to: '',
    tests: [`${TESTS}/shared-keys.test.ts`],
  },
  {
    name: 'a late request starts the count of a window again',
    file: `${FOLDER}/rate-windows.ts`,
    line: '+ CASE WHEN rate_windows.number - excluded.number IN (0, 1) THEN rate_windows.taken ELSE 0 END,',
    to: '+ CASE WHEN rate_windows.number - excluded.number IN (0) THEN rate_windows.taken ELSE 0 END,',
    tests: [`${TESTS}/rate-windows.test.ts`],
  },
  {
    name: 'a filter reads and sorts all rows that match',
    file: `${FOLDER}/filter-query.ts`,
    line: "const where = conditions.length === 0 ? '' : `WHERE CASE WHEN ${conditions.join(' AND ')} THEN true END `",
    to: "const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')} `",
    tests: [`${TESTS}/filter-query.test.ts`],
  },
  {
    name: 'several processes migrate a database at once',
    file: `${FOLDER}/open-database.ts`,
    line: 'await database.transaction(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`, async (tx) =>',
    to: 'await database.transaction(`BEGIN; SELECT ${SCHEMA_LOCK}`, async (tx) =>',
    tests: [`${TESTS}/schema.test.ts`],
  },
  // What only kills under load show is in test/torture/postgres/mutants.ts.
  {
    name: 'a write that a crash undid is acknowledged',
    file: `${FOLDER}/sequence.ts`,
    line: 'return last >= number',
    to: 'return last >= 0',
    tests: [`${TESTS}/lost-commit.test.ts`],
  },
  {
    name: 'a write whose COMMIT lost its answer is done again',
    file: `${FOLDER}/sequence.ts`,
    line: 'return last >= number',
    to: 'return last > number',
    tests: [`${TESTS}/lost-commit.test.ts`],
  },
  {
    name: 'the certificate of a database of PostgreSQL is not verified',
    file: `${FOLDER}/address.ts`,
    line: 'return { rejectUnauthorized: true, ...anyName, ...Object.fromEntries(read) }',
    to: 'return { rejectUnauthorized: false, ...anyName, ...Object.fromEntries(read) }',
    tests: [`${TESTS}/encryption.test.ts`],
  },
  {
    name: 'the name in the certificate of a database of PostgreSQL is not verified',
    file: `${FOLDER}/address.ts`,
    line: "const anyName = mode === 'verify-ca' && { checkServerIdentity: () => undefined }",
    to: "const anyName = mode !== '' && { checkServerIdentity: () => undefined }",
    tests: [`${TESTS}/encryption.test.ts`],
  },
  {
    name: 'a standby is an internal error',
    file: `${FOLDER}/failure.ts`,
    line: "{ code: '0A000', message: /during recovery/, failure: READ_ONLY },",
    to: '',
    tests: [`${TESTS}/faults.test.ts`],
  },
  {
    name: 'a pooler that allows no transactions is found by the first write',
    file: `${FOLDER}/open-database.ts`,
    line: 'await database.adaptToPooler()',
    to: '',
    tests: [`${TESTS}/pgbouncer.test.ts`],
  },
  {
    name: 'a full disk of PostgreSQL leaves the service ready',
    file: `${FOLDER}/postgres-store.ts`,
    line: 'if (wasFull) await tx.script(TAKE_ROOM)',
    to: 'if (wasFull) await tx.script(TAKE_ROOM.slice(0, 0))',
    tests: [`${TESTS}/full-disk.test.ts`],
  },
]
