import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../src/service/store/open-store.ts'
import { allContacts, created, creation } from '../samples.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WRITER = fileURLToPath(new URL('./writing-process.ts', import.meta.url))

interface Run {
  readonly process: ChildProcess
  /** The acknowledged ids, when the process has ended. */
  readonly ids: Promise<readonly string[]>
  readonly lines: () => number
}

function run(...args: readonly string[]): Run {
  const child = spawn(process.execPath, ['--no-warnings', WRITER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  // Text after the last line end is a truncated id.
  const ids = once(child, 'close').then(() => text.split('\n').slice(0, -1))
  return { process: child, ids, lines: () => text.split('\n').length - 1 }
}

async function subscribe(file: string): Promise<void> {
  const store = await openStore({ address: file, now: Date.now })
  const columns = { url: 'https://example.com/', events: ['*'], secret: 'whsec_x' }
  await store.write(
    creation('webhook', {}, { decide: (state) => ({ ...created(state, { status: 'enabled' }), webhook: columns }) }),
  )
  await store.close()
}

test('writes acknowledged by a killed process exist, each with its event and delivery', async () => {
  const file = join(await temporaryFolder(), 'crm.db')
  await subscribe(file)
  const writer = run(file)
  while (writer.lines() < 500) await once(writer.process.stdout ?? writer.process, 'data')
  writer.process.kill('SIGKILL')
  const acknowledged = await writer.ids
  const store = await openStore({ address: file, now: Date.now })
  onTestFinished(() => store.close())
  const kept = new Set((await allContacts(store)).map((text) => JSON.parse(text).id))
  expect(acknowledged.length).toBeGreaterThanOrEqual(500)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  const events = reader.prepare('SELECT text AS id FROM events JOIN deliveries ON record_id = text').all()
  expect(new Set(events.map(({ id }) => id))).toEqual(kept)
})

test('processes that create a database at the same time share it, and no id is used twice', async () => {
  const file = join(await temporaryFolder(), 'new', 'crm.db')
  const runs = [run(file, '400'), run(file, '400'), run(file, '400')]
  const ids = (await Promise.all(runs.map(({ ids }) => ids))).flat()
  expect(new Set(ids).size).toBe(1200)
  const store = await openStore({ address: file, now: Date.now })
  onTestFinished(() => store.close())
  expect((await allContacts(store)).map((text) => JSON.parse(text).id).toReversed()).toEqual(ids.toSorted())
  expect(await store.pipelines()).toHaveLength(1)
})
