import type pg from 'pg'
import { expect, test } from 'vitest'
import { encodeId } from '../../../../src/core/ids.ts'
import { readRecords } from '../../../../src/service/store/pages.ts'
import { readAddress } from '../../../../src/service/store/postgres/address.ts'
import { openPool } from '../../../../src/service/store/postgres/database.ts'
import type { Session, Value } from '../../../../src/service/store/sql.ts'
import type { RecordFilters } from '../../../../src/service/store/store.ts'
import { connectTo, newPostgres, openTestStore } from '../../../harness/database.ts'
import { CONTACT_INDEXES } from '../samples.ts'

const ROWS = 50_000
const PAGE = { limit: 100, olderThanId: encodeId('deal', ROWS - 10) }
const CONTACT_PAGE = { limit: 100, olderThanId: encodeId('contact', ROWS - 10) }

interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

/** The statement by which a page is read. */
async function statementOf(read: (session: Session) => Promise<unknown>): Promise<Statement> {
  const statements: Statement[] = []
  const session = openPool(readAddress('postgres://localhost/none', {}))
  const all: Session['all'] = async (sql, ...values) => {
    statements.push({ sql, values })
    return []
  }
  await read({ ...session, all })
  const [only] = statements
  if (!only || statements.length > 1) throw new Error(`expected one statement, got ${statements.length}`)
  return only
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

/** Most deals are in one stage. Most names and owners have few, and one of each has very many, of which statistics say little. */
async function filled(): Promise<pg.Client> {
  const client = await connectTo(await newPostgres())
  await client.query(`
    INSERT INTO deals (id, version, text, name, stage, owner_id, pipeline_id, amount)
      SELECT n, 1, repeat('x', 200), CASE n % 2 WHEN 0 THEN 'hot' ELSE 'deal ' || n % 5000 END, CASE n % 50 WHEN 0 THEN 'Won' ELSE 'Lead' END,
        CASE n % 4 WHEN 0 THEN 'busy' WHEN 1 THEN 'user ' || n END, 'sales', n % 1000
      FROM generate_series(1, ${ROWS}) AS n;
    INSERT INTO contacts (id, version, text, email, name, phone, company, owner_id)
      SELECT n, 1, repeat('x', 200), 'a' || n || '@x.test', 'name ' || n % 5000, n::text, 'company ' || n % 3, 'user ' || n % 100
      FROM generate_series(1, ${ROWS}) AS n`)
  await client.query('ANALYZE')
  return client
}

/** The plan of a statement with these values, or that for any values, which PostgreSQL uses after some executions. */
async function planOf(
  client: pg.Client,
  { sql, values }: Statement,
  kind: 'custom' | 'generic',
): Promise<readonly Plan[]> {
  await client.query(`SET plan_cache_mode = force_${kind}_plan`)
  await client.query(`PREPARE filtered AS ${sql}`)
  const given = values.map((value) => literal(client, value)).join(', ')
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE filtered (${given})`)
  await client.query('DEALLOCATE filtered')
  return flat(rows[0]['QUERY PLAN'][0].Plan)
}

function literal(client: pg.Client, value: Statement['values'][number]): string {
  if (Array.isArray(value)) return `ARRAY[${value.map((each) => client.escapeLiteral(String(each))).join(', ')}]`
  return typeof value === 'number' ? String(value) : client.escapeLiteral(String(value))
}

function flat(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)]
}

/** The steps that read the table. */
function scansOf(steps: readonly Plan[], table: string): readonly Plan[] {
  return steps.filter((step) => step['Relation Name'] === table)
}

test('each filter is a walk over its index, newest first, that ends with the page', async () => {
  const client = await filled()
  const single: readonly (readonly [filters: RecordFilters, index: string, walks?: number])[] = [
    [{}, 'deals_pkey'],
    [{ values: { name: ['deal 7'] } }, 'deals_by_name'],
    [{ values: { name: ['deal 7', 'deal 8', 'none'] } }, 'deals_by_name', 3],
    [{ values: { name: ['hot'] } }, 'deals_by_name'],
    [{ values: { owner_id: ['busy'] } }, 'deals_by_owner'],
    [{ values: { owner_id: ['user 101', 'nobody'] } }, 'deals_by_owner', 2],
    [{ values: { stage: ['Lead'] } }, 'deals_by_stage'],
    [{ values: { stage: ['Won', 'Lost'] } }, 'deals_by_stage', 2],
    [{ values: { pipeline_id: ['sales'] } }, 'deals_by_pipeline'],
    [{ values: { pipeline_id: ['none'] } }, 'deals_by_pipeline'],
    [{ values: { owner_id: ['busy'], stage: ['Won'], pipeline_id: ['sales'] } }, 'deals_by_owner'],
    [{ values: { name: ['deal 7'], stage: ['Lead'] }, amountAtLeast: 5, amountAtMost: 10 }, 'deals_by_name'],
    [{ amountAtLeast: 999, amountAtMost: 999 }, 'deals_pkey'],
    [{ createdSinceMs: Date.UTC(2020, 0, 1), createdUntilMs: Date.UTC(2030, 0, 1) }, 'deals_pkey'],
  ]
  for (const kind of ['custom', 'generic'] as const) {
    for (const [filters, index, walks = 1] of single) {
      const steps = await planOf(
        client,
        await statementOf((session) => readRecords(session, 'deal', PAGE, filters)),
        kind,
      )
      const scans = scansOf(steps, 'deals')
      expect([kind, filters, scans.map((scan) => [scan['Node Type'], scan['Index Name']])]).toEqual([
        kind,
        filters,
        Array(walks).fill(['Index Scan', index]),
      ])
      if (Object.keys(filters.values ?? filters).length === 1) {
        for (const scan of scans) expect(scan['Actual Rows']).toBeLessThanOrEqual(PAGE.limit + 1)
      }
    }
  }
  for (const [member, index] of CONTACT_INDEXES) {
    for (const value of ['company 1', 'user 7', 'none']) {
      const filters = { values: { [member]: [value] } }
      const steps = await planOf(
        client,
        await statementOf((session) => readRecords(session, 'contact', CONTACT_PAGE, filters)),
        'generic',
      )
      const scans = scansOf(steps, 'contacts').map((scan) => [scan['Node Type'], scan['Index Name']])
      expect([member, value, scans]).toEqual([member, value, [['Index Scan', index]]])
    }
  }
})

test('a page of the notes of a deal reads these alone, also of one that has most of all notes', async () => {
  const address = await newPostgres()
  const client = await connectTo(address)
  await client.query(`
    INSERT INTO deals (id, version, text, name, stage, pipeline_id)
      SELECT n, 1, '{}', 'a', 'Lead', 'sales' FROM generate_series(1, 5000) AS n;
    INSERT INTO notes (id, version, text, deal_id)
      SELECT n, 1, '{"id":"' || n || '"}', CASE n % 2 WHEN 0 THEN 7 ELSE n % 5000 + 1 END FROM generate_series(1, 30000) AS n`)
  await client.query('VACUUM ANALYZE')
  const readOf = async () =>
    (
      await client.query(
        `SELECT seq_tup_read + idx_tup_fetch AS count FROM pg_stat_user_tables WHERE relname = 'notes'`,
      )
    ).rows[0].count
  const before = Number(await readOf())
  const store = await openTestStore({ address })
  const dealIds = [encodeId('deal', 7)]
  const pages = await store.notes({ dealIds, limit: 50, olderThanId: undefined, maxChars: 1e9 })
  expect(pages.get(encodeId('deal', 7))?.texts).toHaveLength(50)
  // A connection that ends reports what it has read.
  await store.close()
  await expect.poll(async () => Number(await readOf()) - before).toBeGreaterThan(50)
  expect(Number(await readOf()) - before).toBeLessThan(100)
})
