import { expect, onTestFinished, test } from 'vitest'
import { readDeals, readFiltered } from '../../../../src/service/store/pages.ts'
import type { Session } from '../../../../src/service/store/sql.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqlDatabase } from '../../../../src/service/store/sqlite/sql-database.ts'
import type { DealFilters, PlainFilters } from '../../../../src/service/store/store.ts'
import { CONTACT_INDEXES, NO_FILTERS } from '../samples.ts'

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

const PAGE = { limit: 100, olderThanId: undefined }

function planOf(filters: Partial<DealFilters>, script = ''): Promise<readonly string[]> {
  return planOfQuery((session) => readDeals(session, PAGE, { ...NO_FILTERS, ...filters }), script)
}

function planOfContacts(filters: Partial<PlainFilters>, script = ''): Promise<readonly string[]> {
  const all = { values: {}, createdSinceMs: undefined, createdUntilMs: undefined, ...filters }
  return planOfQuery((session) => readFiltered(session, 'contact', PAGE, all), script)
}

test('without a filter the table itself is scanned', async () => {
  expect(await planOf({})).toEqual(['SEARCH deals USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'])
})

test('each single filter is one scan of its index without sorting', async () => {
  for (const [filters, index, column] of [
    [{ names: ['a'] }, 'deals_by_name', 'name'],
    [{ ownerIds: ['a'] }, 'deals_by_owner', 'owner_id'],
    [{ stages: ['a'] }, 'deals_by_stage', 'stage'],
    [{ pipelineIds: ['a'] }, 'deals_by_pipeline', 'pipeline_id'],
  ] as const) {
    expect(await planOf(filters)).toEqual([`SEARCH deals USING INDEX ${index} (${column}=? AND rowid>? AND rowid<?)`])
  }
})

test('misleading statistics do not change the plan', async () => {
  const misled = `ANALYZE; INSERT INTO sqlite_stat1 VALUES ('deals', 'deals_by_stage', '1000000 1000000'); ANALYZE sqlite_schema`
  expect(await planOf({ stages: ['a'], ownerIds: ['u', 'v'] }, misled)).toEqual(
    await planOf({ stages: ['a'], ownerIds: ['u', 'v'] }),
  )
  expect(await planOf({ stages: ['a'] }, misled)).toEqual(await planOf({ stages: ['a'] }))
})

test('times are bounds of the scan', async () => {
  expect(await planOf({ createdSinceMs: 1, createdUntilMs: 2 })).toEqual([
    'SEARCH deals USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
  expect(await planOf({ stages: ['a'], createdSinceMs: 1 })).toEqual([
    'SEARCH deals USING INDEX deals_by_stage (stage=? AND rowid>? AND rowid<?)',
  ])
})

test('no combination of filters sorts what it matches', async () => {
  const many = ['a', 'b', 'c']
  for (const filters of [
    { stages: many },
    { stages: many, ownerIds: ['u'], pipelineIds: many, amountAtLeast: 1, amountAtMost: 2 },
    { names: many, stages: many, ownerIds: many, pipelineIds: many, createdSinceMs: 1, createdUntilMs: 2 },
    { names: Array.from({ length: 200 }, (_, number) => String(number)), ownerIds: ['u'] },
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
    const plan = [`SEARCH contacts USING INDEX ${index} (${member}=? AND rowid>? AND rowid<?)`]
    expect(await planOfContacts({ values })).toEqual(plan)
    expect(await planOfContacts({ values }, misled)).toEqual(plan)
  }
})

test('the email of a contact selects the index, and times are bounds of its scan', async () => {
  const plan = await planOfContacts({ values: { company: ['c'], email: ['a', 'b'] }, createdSinceMs: 1 })
  expect(plan.filter((step) => step.startsWith('SEARCH contacts'))).toEqual(
    Array(2).fill('SEARCH contacts USING INDEX contacts_by_email (email=? AND rowid>? AND rowid<?)'),
  )
  expect(plan.filter((step) => /TEMP B-TREE|^SCAN contacts|AUTOMATIC/.test(step))).toEqual([])
  expect(await planOfContacts({ createdSinceMs: 1, createdUntilMs: 2 })).toEqual([
    'SEARCH contacts USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
})
