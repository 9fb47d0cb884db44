import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../../../src/service/store/sqlite/connection.ts'
import { queryDeals } from '../../../../src/service/store/sqlite/deal-query.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import type { DealFilters } from '../../../../src/service/store/store.ts'
import { NO_FILTERS } from '../samples.ts'

/** The query plan for a page of these deals (EXPLAIN QUERY PLAN). */
function planOf(filters: Partial<DealFilters>, script = ''): readonly string[] {
  const db = openDatabase(':memory:', true)
  db.script(script)
  onTestFinished(() => db.close())
  const steps: string[] = []
  const explaining: Connection = {
    ...db,
    all: (sql, ...values) => {
      const plan = db.all<readonly [number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
      steps.push(...plan.map(([, , , step]) => step))
      return []
    },
  }
  queryDeals(explaining, { ...NO_FILTERS, ...filters }, { belowSerial: 1e15, count: 101 })
  return steps
}

test('without a filter the table itself is scanned', () => {
  expect(planOf({})).toEqual(['SEARCH deals USING INTEGER PRIMARY KEY (rowid<?)'])
})

test('each single filter is one scan of its index without sorting', () => {
  for (const [filters, index, column] of [
    [{ names: ['a'] }, 'deals_by_name', 'name'],
    [{ ownerIds: ['a'] }, 'deals_by_owner', 'owner_id'],
    [{ stages: ['a'] }, 'deals_by_stage', 'stage'],
    [{ pipelineIds: ['a'] }, 'deals_by_pipeline', 'pipeline_id'],
  ] as const) {
    expect(planOf(filters)).toEqual([`SEARCH deals USING INDEX ${index} (${column}=? AND rowid<?)`])
  }
})

test('misleading statistics do not change the plan', () => {
  const misled = `ANALYZE; INSERT INTO sqlite_stat1 VALUES ('deals', 'deals_by_stage', '1000000 1000000'); ANALYZE sqlite_schema`
  expect(planOf({ stages: ['a'], ownerIds: ['u', 'v'] }, misled)).toEqual(
    planOf({ stages: ['a'], ownerIds: ['u', 'v'] }),
  )
  expect(planOf({ stages: ['a'] }, misled)).toEqual(planOf({ stages: ['a'] }))
})

test('times are bounds of the scan', () => {
  expect(planOf({ createdSinceMs: 1, createdUntilMs: 2 })).toEqual([
    'SEARCH deals USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
  expect(planOf({ stages: ['a'], createdSinceMs: 1 })).toEqual([
    'SEARCH deals USING INDEX deals_by_stage (stage=? AND rowid>? AND rowid<?)',
  ])
})

test('no combination of filters sorts what it matches', () => {
  const many = ['a', 'b', 'c']
  for (const filters of [
    { stages: many },
    { stages: many, ownerIds: ['u'], pipelineIds: many, amountAtLeast: 1, amountAtMost: 2 },
    { names: many, stages: many, ownerIds: many, pipelineIds: many, createdSinceMs: 1, createdUntilMs: 2 },
    { names: Array.from({ length: 200 }, (_, number) => String(number)), ownerIds: ['u'] },
  ]) {
    const steps = planOf(filters)
    expect(steps.filter((step) => /TEMP B-TREE|^SCAN deals|AUTOMATIC/.test(step))).toEqual([])
    expect(steps.filter((step) => step.startsWith('SEARCH deals USING INDEX')).length).toBeGreaterThan(0)
  }
})
