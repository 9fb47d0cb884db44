import { expect, onTestFinished, test } from 'vitest'
import { readRecords } from '../../../../src/service/store/pages.ts'
import type { Session } from '../../../../src/service/store/sql.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqlDatabase } from '../../../../src/service/store/sqlite/sql-database.ts'
import type { RecordFilters } from '../../../../src/service/store/store.ts'
import { CONTACT_INDEXES } from '../samples.ts'

/** The query plan of what `query` asks for (EXPLAIN QUERY PLAN). */
async function planOfQuery(query: (session: Session) => Promise<unknown>, script: string): Promise<readonly string[]> {
  const db = openDatabase(':memory:', true)
  db.script(script)
  onTestFinished(() => db.close())
  const steps: string[] = []
  const all: typeof db.all = (sql, ...values) => {
    const plan = db.all<readonly [number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
    steps.push(...plan.map(([, , , step]) => step))
    return []
  }
  await query(sqlDatabase({ ...db, all }, undefined))
  return steps
}

const NOON_MS = Date.UTC(2026, 10, 20, 12)

const PAGE = { limit: 100, olderThanId: undefined }

function planOf(filters: RecordFilters, script = ''): Promise<readonly string[]> {
  return planOfQuery((session) => readRecords(session, 'deal', PAGE, filters), script)
}

function planOfContacts(filters: RecordFilters, script = ''): Promise<readonly string[]> {
  return planOfQuery((session) => readRecords(session, 'contact', PAGE, filters), script)
}

test('without a filter the table itself is scanned', async () => {
  expect(await planOf({})).toEqual(['SEARCH deals USING INTEGER PRIMARY KEY (rowid<?)'])
})

test('each single filter is one scan of its index without sorting', async () => {
  for (const [filters, index, column] of [
    [{ values: { name: ['a'] } }, 'deals_by_name', 'name'],
    [{ values: { owner_id: ['a'] } }, 'deals_by_owner', 'owner_id'],
    [{ values: { stage: ['a'] } }, 'deals_by_stage', 'stage'],
    [{ values: { pipeline_id: ['a'] } }, 'deals_by_pipeline', 'pipeline_id'],
  ] as const) {
    expect(await planOf(filters)).toEqual([`SEARCH deals USING INDEX ${index} (${column}=? AND rowid<?)`])
  }
})

test('misleading statistics do not change the plan', async () => {
  const misled = `ANALYZE; INSERT INTO sqlite_stat1 VALUES ('deals', 'deals_by_stage', '1000000 1000000'); ANALYZE sqlite_schema`
  expect(await planOf({ values: { stage: ['a'], owner_id: ['u', 'v'] } }, misled)).toEqual(
    await planOf({ values: { stage: ['a'], owner_id: ['u', 'v'] } }),
  )
  expect(await planOf({ values: { stage: ['a'] } }, misled)).toEqual(await planOf({ values: { stage: ['a'] } }))
})

test('times are bounds of the scan', async () => {
  expect(await planOf({ createdSinceMs: NOON_MS, createdUntilMs: NOON_MS })).toEqual([
    'SEARCH deals USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
  expect(await planOf({ values: { stage: ['a'] }, createdSinceMs: NOON_MS })).toEqual([
    'SEARCH deals USING INDEX deals_by_stage (stage=? AND rowid>? AND rowid<?)',
  ])
})

test('no combination of filters sorts what it matches', async () => {
  const many = ['a', 'b', 'c']
  for (const filters of [
    { values: { stage: many } },
    { values: { stage: many, owner_id: ['u'], pipeline_id: many }, amountAtLeast: 1, amountAtMost: 2 },
    {
      values: { name: many, stage: many, owner_id: many, pipeline_id: many },
      ...{ createdSinceMs: NOON_MS, createdUntilMs: NOON_MS },
    },
    { values: { name: Array.from({ length: 200 }, (_, number) => String(number)), owner_id: ['u'] } },
  ]) {
    const steps = await planOf(filters)
    expect(steps.filter((step) => /TEMP B-TREE|^SCAN deals|AUTOMATIC/.test(step))).toEqual([])
    expect(steps.filter((step) => step.startsWith('SEARCH deals USING INDEX')).length).toBeGreaterThan(0)
  }
})

test('each filter of contacts is one scan of its index without sorting, also with misleading statistics', async () => {
  const misled = `ANALYZE; INSERT INTO sqlite_stat1 VALUES ('contacts', 'contacts_by_email', '1000000 1000000'); ANALYZE sqlite_schema`
  for (const [member, index] of CONTACT_INDEXES) {
    const values = { [member]: ['a'] }
    const plan = [`SEARCH contacts USING INDEX ${index} (${member}=? AND rowid<?)`]
    expect(await planOfContacts({ values })).toEqual(plan)
    expect(await planOfContacts({ values }, misled)).toEqual(plan)
  }
})

test('the email of a contact selects the index, and times are bounds of its scan', async () => {
  const plan = await planOfContacts({ values: { company: ['c'], email: ['a', 'b'] }, createdSinceMs: NOON_MS })
  expect(plan.filter((step) => step.startsWith('SEARCH contacts'))).toEqual(
    Array(2).fill('SEARCH contacts USING INDEX contacts_by_email (email=? AND rowid>? AND rowid<?)'),
  )
  expect(plan.filter((step) => /TEMP B-TREE|^SCAN contacts|AUTOMATIC/.test(step))).toEqual([])
  expect(await planOfContacts({ createdSinceMs: NOON_MS, createdUntilMs: NOON_MS })).toEqual([
    'SEARCH contacts USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
})
