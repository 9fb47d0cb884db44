import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../../src/service/store/sqlite/connection.ts'
import { openDatabase } from '../../../src/service/store/sqlite/open-database.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/sqlite-store.ts'
import { graphqlForTest } from './ask.ts'

/** A connection that records the statements run. */
function counted(db: Connection): { db: Connection; statements: string[] } {
  const statements: string[] = []
  const told =
    <A extends readonly [string, ...never[]], R>(run: (...args: A) => R) =>
    (...args: A): R => {
      statements.push(args[0])
      return run(...args)
    }
  const methods = {
    all: told(db.all),
    get: told(db.get),
    run: told(db.run),
  } as Partial<Connection>
  return { db: Object.assign(Object.create(db), methods), statements }
}

async function countedService() {
  const { db, statements } = counted(openDatabase(':memory:', true))
  const store = sqliteStore(db, { now: Date.now })
  onTestFinished(() => store.close())
  const service = await graphqlForTest({ store })
  const deals = await Promise.all(
    Array.from({ length: 100 }, (_, n) => service.send('POST', '/v1/deals', { name: `Deal ${n}`, stage: 'Lead' })),
  )
  await Promise.all(
    deals.flatMap(({ json }) => ['a', 'b'].map((body) => service.send('POST', `/v1/deals/${json.id}/notes`, { body }))),
  )
  statements.length = 0
  return { ...service, statements }
}

test('100 deals with their notes take four statements, with the one that asks whether keys changed', async () => {
  const { ask, statements } = await countedService()
  const { data } = await ask('{ deals(first: 100) { nodes { id notes(first: 2) { nodes { body dealId } } } } }')
  expect(statements.map((sql) => /FROM (\w+)/.exec(sql)?.[1])).toEqual([undefined, 'deals', 'json_each', 'notes'])
  expect(data.deals.nodes).toHaveLength(100)
  for (const { id, notes } of data.deals.nodes) {
    expect(notes.nodes).toEqual([
      { body: 'b', dealId: id },
      { body: 'a', dealId: id },
    ])
  }
})

test('the deals of notes, and their pipelines, are read once', async () => {
  const { ask, statements } = await countedService()
  const { errors } = await ask(`{ deals(first: 100) { nodes {
    pipeline { name stages { name } } notes(first: 2) { nodes { deal { name pipeline { id } } } } } } }`)
  expect(errors).toBeUndefined()
  // The key, the deals, the pipelines with their stages, the notes and their texts, the deals of the notes.
  expect(statements).toHaveLength(6)
})
