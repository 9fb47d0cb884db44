import { expect, onTestFinished, test } from 'vitest'
import { encodeId } from '../../../../src/core/ids.ts'
import { type HistoryQuery, readHistory } from '../../../../src/service/store/history.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqlDatabase } from '../../../../src/service/store/sqlite/sql-database.ts'

/** The steps of SQLite for a query (EXPLAIN QUERY PLAN). */
async function planOf(query: Partial<HistoryQuery>): Promise<readonly string[]> {
  const db = openDatabase(':memory:', true)
  onTestFinished(() => db.close())
  const steps: string[] = []
  const all: typeof db.all = (sql, ...values) => {
    if (sql.includes('FROM history')) {
      const plan = db.all<readonly [number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
      steps.push(...plan.map(([, , , step]) => step))
    }
    return []
  }
  await readHistory(sqlDatabase({ ...db, all }, undefined), { limit: 10, olderThanId: undefined, ...query })
  return steps
}

test('each filter of the history is a scan of its index without sorting, within the bounds of time', async () => {
  const record = { resource: 'contact', id: encodeId('contact', 1) } as const
  const by = (index: string, column: string) =>
    `SEARCH history USING INDEX ${index} (${column}=? AND rowid>? AND rowid<?)`
  expect(await planOf({})).toEqual(['SEARCH history USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'])
  expect(await planOf({ record, job: 'j' })).toEqual([by('history_by_record', 'record_id')])
  expect(await planOf({ job: 'j', keyIds: ['k'] })).toEqual([by('history_by_job', 'job')])
  expect(await planOf({ keyIds: ['k'], resource: 'deal' })).toEqual([by('history_by_key', 'key_id')])
  expect(await planOf({ resource: 'deal', sinceMs: Date.now() })).toEqual([by('history_by_resource', 'resource')])
})
