import { expect, test } from 'vitest'
import { shellWords } from '../../../../../src/core/shell-words.ts'
import { copyStore } from '../../../../../src/service/store/open-store.ts'
import { withPostgresSource } from '../../../../../src/service/store/postgres/copy-ends.ts'
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

  test(`an unfinished copy to ${other} is refused by every command, which names the command that begins it again`, async () => {
    const ends = await makeEnds()
    await fillStore(ends[0])
    await stopCopy(ends, 'copied')
    const env = emptyHome()
    const serving = ['serve', '--port', '0']
    const lines = [serving, ['serve', 'stats'], ['serve', 'keys', 'list'], ['serve', 'keys', 'create', '--name', 'x']]
    for (const words of lines) {
      const { exit, stderr } = await crm([...words, '--database', ends[1]], env)
      expect(exit).toBe(13)
      expect(stderr).toContain(`is an unfinished copy of ${ends[0]}\n  copy again: crm serve copy --from `)
    }
    const { stderr } = await crm([...serving, '--database', ends[1]], env)
    const [, ...hint] = shellWords(stderr.slice(stderr.indexOf('crm serve copy')).trim(), 'hint')
    expect(await crm(hint, env)).toMatchObject({ exit: 0 })
    const pages = await Promise.all(ends.map((each) => withStore(each, allContacts)))
    expect(pages[1]).toHaveLength(2501)
    expect(pages[1]).toEqual(pages[0])
  })

  test(`a copy to ${other} that was stopped copies what the source holds then`, async () => {
    const ends = await makeEnds()
    const [oldest = ''] = await fillStore(ends[0])
    for (const phase of ['copied', 'compared'] as const) {
      await stopCopy(ends, phase)
      await withStore(ends[0], async (store) => {
        await store.write(rewriting('contact', oldest, `{"id":"${oldest}","name":"Changed"}`))
        await store.write(creation('contact'))
      })
    }
    expect(await copy(ends)).toMatchObject({ exit: 0 })
    const pages = await Promise.all(ends.map((each) => withStore(each, allContacts)))
    expect(pages[1]).toHaveLength(2503)
    expect(pages[1]).toEqual(pages[0])
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

test('a source of PostgreSQL without tables stays empty, and the hint makes none', async () => {
  const [from, to] = [await newPostgres('empty'), newFile('target')]
  const { exit, stderr } = await copy([from, to])
  expect(exit).toBe(13)
  expect(stderr).toMatch(
    /^crm: there is no database of crm at \S+\n {2}name another with --from; to list them: psql --list postgres:\S+\n$/,
  )
})

test('a backup of PostgreSQL is that of pg_dump, and of an unfinished copy the command that finishes it', async () => {
  const ends = [newFile('source'), await newPostgres('empty')] as const
  await fillStore(ends[0], 1000)
  await stopCopy(ends, 'copied')
  const backUp = () => crm(['serve', 'backup', newFile('backup'), '--database', ends[1]], emptyHome())
  const unfinished = await backUp()
  expect(unfinished).toMatchObject({ exit: 13, stdout: '' })
  expect(unfinished.stderr).toMatch(
    / is an unfinished copy of \S+\n {2}copy again: crm serve copy --from \S+ --to \S+\n$/,
  )
  const [, ...hint] = shellWords(unfinished.stderr.slice(unfinished.stderr.indexOf('crm serve copy')).trim(), 'hint')
  expect(await crm(hint, emptyHome())).toMatchObject({ exit: 0 })
  expect(await backUp()).toMatchObject({ exit: 2, stderr: expect.stringContaining('\n  pg_dump --format=custom') })
})

test('what an unfinished copy of an earlier crm has left is replaced', async () => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 20)
  const left = `CREATE TABLE crm_copy (location text, name text, last_serial bigint, version integer, place text);
    INSERT INTO crm_copy VALUES ('${from}'); CREATE TABLE deals (id bigint PRIMARY KEY); INSERT INTO deals VALUES (7);
    CREATE TABLE notes (id bigint PRIMARY KEY REFERENCES deals)`
  await (await connectTo(to)).query(left)
  expect(await copy([from, to])).toMatchObject({ exit: 0 })
  await withStore(to, async (store) => expect((await store.stats()).records).toMatchObject({ contact: 21, deal: 1 }))
})

test('a row that PostgreSQL cannot keep is named', async () => {
  const [from, to] = [newFile('source'), await newPostgres('empty')]
  await fillStore(from, 1)
  await changeRow(from, { table: 'webhooks', change: `url = 'http://x/' || char(0)`, where: 'version = 1' })
  const { exit, stderr } = await copy([from, to])
  expect(exit).toBe(13)
  expect(stderr).toMatch(/refuses a row of webhooks, at or after wh_\w+: .*\n {2}correct this row/)
})
