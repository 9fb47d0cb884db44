import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../../src/service/store/open-store.ts'
import { newPostgres } from '../../../../harness/database.ts'
import { type Cluster, startCluster } from '../../../../harness/postgres/cluster.ts'
import { createDatabase, prepareServer } from '../../../../harness/postgres/databases.ts'
import { allContacts } from '../../samples.ts'
import { fillStore, newFile, withStore } from './sample-store.ts'

const COPIER = fileURLToPath(new URL('./copying-process.ts', import.meta.url))

/** About as many batches as a kill waits for at most. */
const CONTACTS = 12_000
const KILLS = 10

type Ends = readonly [from: string, to: string]

interface Ended {
  readonly exit: number | string
  readonly stderr: string
}

/** One process that copies; `onLine` gets each line that it prints. */
async function copyOnce(ends: Ends, password: string, onLine: (count: number, pid: number) => void): Promise<Ended> {
  const child = spawn(process.execPath, ['--no-warnings', COPIER, ...ends], { env: { PGPASSWORD: password } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let lines = 0
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  createInterface(child.stdout).on('line', () => onLine(++lines, child.pid ?? 0))
  const [exit, signal] = await once(child, 'close')
  return { exit: exit ?? signal, stderr }
}

async function expectEqual(ends: Ends, password: string): Promise<void> {
  const pages = await Promise.all(
    ends.map(async (address) => {
      const store = await openStore({ address, env: { PGPASSWORD: password }, now: Date.now })
      const texts = await allContacts(store)
      // The next copy refuses a source in use.
      await store.close()
      return texts
    }),
  )
  expect(pages[1]).toHaveLength(CONTACTS + 1)
  expect(pages[1]).toEqual(pages[0])
}

test.each([
  ['SQLite to PostgreSQL', async (): Promise<Ends> => [newFile('source'), await newPostgres('empty')]],
  ['PostgreSQL to SQLite', async (): Promise<Ends> => [await newPostgres('empty'), newFile('target')]],
])('a copy from %s that is killed again and again begins again, and ends with all rows', async (_, makeEnds) => {
  const ends = await makeEnds()
  const { servicePassword } = inject('postgres')
  await fillStore(ends[0], CONTACTS)
  for (let kill = 0; kill < KILLS; kill++) {
    const atLine = 1 + Math.floor(Math.random() * 25)
    // Also in the middle of a batch, and in that of a commit.
    const lateMs = Math.random() * 20
    const run = await copyOnce(ends, servicePassword, (count, pid) => {
      if (count === atLine) void setTimeout(lateMs).then(() => process.kill(pid, 'SIGKILL'))
    })
    expect(run, run.stderr).toHaveProperty('exit', 'SIGKILL')
    await expect(withStore(ends[1], async () => {})).rejects.toThrow('is an unfinished copy of')
  }
  expect(await copyOnce(ends, servicePassword, () => {})).toMatchObject({ exit: 0, stderr: '' })
  await expectEqual(ends, servicePassword)
})

test('a copy begins again after kill -9 of PostgreSQL, as target and as source', async () => {
  const cluster = await startCluster()
  onTestFinished(cluster.remove)
  const server = await prepareServer(cluster)
  const [file, back] = [newFile('source'), newFile('back')]
  const database = new URL(await createDatabase(server))
  database.password = ''
  await fillStore(file, CONTACTS)
  for (const ends of [
    [file, database.href],
    [database.href, back],
  ] as const) {
    for (const atLine of [2, 20]) await killDatabase(cluster, ends, server.servicePassword, atLine)
    expect(await copyOnce(ends, server.servicePassword, () => {})).toMatchObject({ exit: 0, stderr: '' })
    await expectEqual(ends, server.servicePassword)
  }
})

async function killDatabase(cluster: Cluster, ends: Ends, password: string, atLine: number): Promise<void> {
  let dying: Promise<void> | undefined
  const run = await copyOnce(ends, password, (count) => {
    if (count === atLine) dying = cluster.kill()
  })
  await dying
  expect(run.exit).toBe(1)
  expect(run.stderr).toMatch(/CrmError: database \S+ (does not answer|is shutting down or starting)/)
  await cluster.start()
}
