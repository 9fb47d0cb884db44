import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyRows } from '../../../../src/service/store/copy.ts'
import type { Session, Transaction, Value } from '../../../../src/service/store/sql.ts'
import { openDatabase } from '../../../../src/service/store/sqlite/open-database.ts'
import { sqlDatabase } from '../../../../src/service/store/sqlite/sql-database.ts'
import { fillStore } from '../postgres/copy/sample-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'

async function filledSource(): Promise<Session> {
  const file = join(await temporaryFolder(), 'source.sqlite')
  await fillStore(file, 1200)
  const db = openDatabase(file, false)
  onTestFinished(() => db.close())
  return sqlDatabase(db, undefined)
}

/** Copies into a database in memory, whose rows `change` alters on the way. */
async function copyInto(source: Session, change: (sql: string, values: Value[]) => Value[] | undefined) {
  const db = openDatabase(':memory:', true)
  onTestFinished(() => db.close())
  const { signal } = new AbortController()
  const done: number[] = []
  const copied = await sqlDatabase(db, undefined).transaction('durable', (tx) => {
    const later: Transaction['later'] = (sql, ...values) => {
      const changed = change(sql, values)
      if (changed) tx.later(sql, ...changed)
    }
    return copyRows(source, { ...tx, later }, { signal, onProgress: (progress) => void done.push(progress.done) })
  })
  return { copied, done }
}

test('all rows are copied in batches and compared', async () => {
  const source = await filledSource()
  const { copied, done } = await copyInto(source, (_, values) => values)
  expect(copied.find(({ table }) => table === 'contacts')).toMatchObject({ rows: 1201 })
  const [again] = [await copyInto(source, (_, values) => values)]
  expect(again.copied).toEqual(copied)
  expect(done.at(-1)).toBe(copied.reduce((sum, { rows }) => sum + rows, 0))
})

test.each([
  ['contacts', 'loses a row', ([id, ...rest]: Value[], first: Value) => (id === first ? undefined : [id, ...rest])],
  ['contacts', 'gets another text', ([id, version, text, ...rest]: Value[]) => [id, version, `${text} `, ...rest]],
  ['unique_field_values', 'gets another value', ([a, b, value, id]: Value[]) => [a, b, `${value}x`, id]],
  [
    'deliveries',
    'gets other attempts',
    ([a, b, c, attempts, ...rest]: Value[]) => [a, b, c, Number(attempts) + 1, ...rest],
  ],
  ['idempotency', 'gets another time', ([key, at, ...rest]: Value[]) => [key, Number(at) + 1, ...rest]],
  ['sequence', 'goes back', ([row, serial, rules]: Value[]) => [row, Number(serial) - 1, rules]],
])('a copy in which %s %s is refused', async (table, _, change) => {
  const source = await filledSource()
  let first: Value
  const copying = copyInto(source, (sql, values) => {
    if (!sql.startsWith(`INSERT INTO ${table} `)) return values
    first ??= values[0] as Value
    return change(values as never, first) as Value[] | undefined
  })
  await expect(copying).rejects.toThrow(`the table ${table} of the target differs from that of the source: `)
})
