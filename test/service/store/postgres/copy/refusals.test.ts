import { expect, test } from 'vitest'
import { shellWords } from '../../../../../src/core/shell-words.ts'
import { copyStore } from '../../../../../src/service/store/open-store.ts'
import { withPostgresSource } from '../../../../../src/service/store/postgres/copy-source.ts'
import { crm } from '../../../../harness/crm.ts'
import { connectTo, newPostgres } from '../../../../harness/database.ts'
import { databaseEnv, emptyHome, type Run } from '../../../../harness/home.ts'
import { serve } from '../../../../harness/service.ts'
import { allContacts, creation, rewriting } from '../../samples.ts'
import { changeRow } from './change-row.ts'
import { fillStore, newFile, withStore } from './sample-store.ts'

type Ends = readonly [from: string, to: string]

function copy([from, to]: Ends, env = emptyHome()): Promise<Run> {
  return crm(['serve', 'copy', '--from', from, '--to', to], env)
}

/** Stops as by Ctrl-C: after the first batch of contacts, or when all rows are copied. */
async function stopCopy([from, to]: Ends, after: 'copied' | 'compared'): Promise<void> {
  const stop = new AbortController()
  const copying = copyStore({
    ...{ from, to, location: from, env: databaseEnv() },
    signal: stop.signal,
    onProgress: ({ phase, done }) => {
      if (phase === after && done >= 1000) stop.abort(new Error('stopped'))
    },
  })
  await expect(copying).rejects.toThrow('stopped')
}

/** From SQLite to PostgreSQL, and from PostgreSQL to SQLite. */
const DIRECTIONS = [
  ['SQLite', 'PostgreSQL', async (): Promise<Ends> => [newFile('source'), await newPostgres('empty')]],
  ['PostgreSQL', 'SQLite', async (): Promise<Ends> => [await newPostgres('empty'), newFile('target')]],
] as const

for (const [kind, other, makeEnds] of DIRECTIONS) {
  test(`a source of ${kind} on which a service runs is refused, and the target stays as it was`, async () => {
    const ends = await makeEnds()
    const service = await serve(['--database', ends[0]], emptyHome())
    const refused = await copy(ends)
    expect(refused).toMatchObject({ exit: 13, stdout: '' })
    expect(refused.stderr).toMatch(
      /^crm: database \S+ is in use: .*\n {2}stop every crm serve on it, then copy again\n$/,
    )
    await service.stop()
    expect(await copy(ends)).toMatchObject({ exit: 0 })
  })

  test(`an unfinished copy to ${other} is refused by every command, which names the command that finishes it`, async () => {
    const ends = await makeEnds()
    await fillStore(ends[0])
    await stopCopy(ends, 'copied')
    const env = emptyHome()
    const serving = ['serve', '--port', '0']
    const lines = [serving, ['serve', 'stats'], ['serve', 'keys', 'list'], ['serve', 'keys', 'create', '--name', 'x']]
    for (const words of lines) {
      const { exit, stderr } = await crm([...words, '--database', ends[1]], env)
      expect(exit).toBe(13)
      expect(stderr).toContain(`is an unfinished copy of ${ends[0]}\n  finish it: crm serve copy --from `)
    }
    const { stderr } = await crm([...serving, '--database', ends[1]], env)
    const [, ...hint] = shellWords(stderr.slice(stderr.indexOf('crm serve copy')).trim(), 'hint')
    expect(await crm(hint, env)).toMatchObject({ exit: 0 })
    const pages = await Promise.all(ends.map((each) => withStore(each, allContacts)))
    expect(pages[1]).toHaveLength(2501)
    expect(pages[1]).toEqual(pages[0])
  })

  test(`a source of ${kind} that was written to goes on neither with new records nor with changed ones`, async () => {
    const ends = await makeEnds()
    const [oldest = ''] = await fillStore(ends[0])
    await stopCopy(ends, 'copied')
    await withStore(ends[0], (store) =>
      store.write(rewriting('contact', oldest, `{"id":"${oldest}","name":"Changed"}`)),
    )
    const different = await copy(ends)
    expect(different.exit).toBe(13)
    expect(different.stderr).toContain(`differs from ${ends[0]}: table contacts, first at ${oldest}\n`)
    // And it stays what it is.
    expect((await crm(['serve', 'stats', '--database', ends[1]], emptyHome())).stderr).toContain('unfinished copy')
    await withStore(ends[0], (store) => store.write(creation('contact')))
    const changed = await copy(ends)
    expect(changed.exit).toBe(13)
    expect(changed.stderr).toContain(' was written to after the copy to ')
  })

  test(`an unfinished copy to ${other} goes on from its own source alone`, async () => {
    const ends = await makeEnds()
    await fillStore(ends[0])
    await stopCopy(ends, 'copied')
    const [another] = await makeEnds()
    await fillStore(another, 1)
    const { exit, stderr } = await copy([another, ends[1]])
    expect(exit).toBe(13)
    expect(stderr).toContain(
      `is an unfinished copy of ${ends[0]}, not of ${another}\n  finish it: crm serve copy --from`,
    )
  })

  test.each([
    ['contacts', `text = replace(text, 'Name 7"', 'Name 8"')`, `text LIKE '%"Name 7"%'`],
    ['contacts', `company = 'other'`, `company LIKE 'xx%'`],
    ['contacts', undefined, `text LIKE '%"Name 1500"%'`],
    ['deliveries', 'attempts = 1', `state = 'pending'`],
    ['unique_field_values', `value = 'other'`, `value = 'c9@x.test'`],
    ['webhooks', `secret = 'whsec_other'`, 'version = 1'],
    ['idempotency', 'at_ms = at_ms + 1', `key = 'key-10'`],
    ['events', undefined, `text LIKE '%"step":7%'`],
    ['notes', `text = text || ' '`, `text LIKE '%"body":"3"%'`],
    ['sequence', 'last_serial = last_serial - 1', 'only_row = 1'],
  ])(`a row of %s that differs on ${other} is found: %s`, async (table, change, where) => {
    const ends = await makeEnds()
    await fillStore(ends[0])
    await stopCopy(ends, 'compared')
    await changeRow(ends[1], { table, change, where })
    const { exit, stderr } = await copy(ends)
    expect(exit).toBe(13)
    expect(stderr).toContain(`differs from ${ends[0]}: table ${table}, first at `)
  })

  test(`a target of ${other} with a database of crm is refused`, async () => {
    const ends = await makeEnds()
    await fillStore(ends[0], 1)
    await withStore(ends[1], (store) => store.write(creation('contact')))
    const { exit, stderr } = await copy(ends)
    expect(exit).toBe(13)
    expect(stderr).toContain('is a database of crm already, expected an empty database')
  })
}

test('while a copy reads PostgreSQL, a service that starts can read and not write', async () => {
  const address = await newPostgres('empty')
  await fillStore(address, 1)
  await withPostgresSource(address, databaseEnv(), async () => {
    await withStore(address, async (store) => {
      expect((await store.page('contact', { limit: 10, olderThanId: undefined })).texts).toHaveLength(2)
      await expect(store.write(creation('contact'))).rejects.toThrow('is locked by another process')
    })
  })
  await withStore(address, (store) => store.write(creation('contact')))
})

test('a target of PostgreSQL with tables of another program is refused', async () => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 1)
  await (await connectTo(to)).query('CREATE TABLE theirs (id int)')
  const { exit, stderr } = await copy([from, to])
  expect(exit).toBe(13)
  expect(stderr).toContain('belongs to another program: it has a table theirs')
})

test('a row that PostgreSQL cannot keep is named', async () => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 1)
  await changeRow(from, { table: 'webhooks', change: `url = 'http://x/' || char(0)`, where: 'version = 1' })
  const { exit, stderr } = await copy([from, to])
  expect(exit).toBe(13)
  expect(stderr).toMatch(/refuses a row of webhooks, at or after wh_\w+: .*\n {2}correct this row/)
})
