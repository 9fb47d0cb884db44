import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type KeptChange, openKeptChanges } from '../../src/settings/kept-changes.ts'
import { tempFolder } from '../files/temp-folder.ts'

const SERVER = 'http://crm.test/'
const script = fileURLToPath(new URL('kept-changes-taker.ts', import.meta.url))

async function startTaker(folder: string, ...id: string[]): Promise<{ taker: ChildProcess; ids: string[] }> {
  const taker = spawn(process.execPath, [script, folder, SERVER, ...id], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void taker.kill('SIGKILL'))
  const [text] = await once(taker.stdout, 'data')
  return { taker, ids: JSON.parse(String(text)) }
}

async function killed(taker: ChildProcess): Promise<void> {
  taker.kill('SIGKILL')
  await once(taker, 'exit')
}

function change(id: string): KeptChange {
  return { list: 'contacts', id, patch: { company: 'New' }, before: {} }
}

const opened = (folder: string) => openKeptChanges({ CRM_STATE_HOME: folder }, SERVER)

const idsOf = (changes: readonly KeptChange[]) => changes.map(({ id }) => id).toSorted()

test('each kept change goes to one of several processes that take them at the same time', async () => {
  const folder = await tempFolder()
  const ids = Array.from({ length: 12 }, (_, index) => `con_${index}`)
  for (const id of ids) opened(folder).release([change(id)])
  const takers = await Promise.all([1, 2, 3, 4].map(() => startTaker(folder)))
  expect(takers.flatMap((each) => each.ids).toSorted()).toEqual(ids.toSorted())
  expect(await opened(folder).take()).toEqual({
    changes: [],
    forms: [],
    heldBy: expect.arrayContaining([expect.any(Number)]),
  })
})

test('changes that a process took or holds are available after it was killed, and not before', async () => {
  const folder = await tempFolder()
  opened(folder).release([change('con_1')])
  const { taker, ids } = await startTaker(folder)
  expect(ids).toEqual(['con_1'])
  const { taker: holder } = await startTaker(folder, 'con_2')
  const heldBy = [taker.pid, holder.pid].toSorted()
  expect(await opened(folder).take()).toEqual({ changes: [], forms: [], heldBy: expect.arrayContaining(heldBy) })
  await Promise.all([killed(taker), killed(holder)])
  expect(idsOf((await opened(folder).take()).changes)).toEqual(['con_1', 'con_2'])
})

test('changes that were taken and sent are in no file; the others wait for the next process', async () => {
  const folder = await tempFolder()
  opened(folder).release([change('con_1'), change('con_2')])
  const mine = opened(folder)
  await mine.take()
  mine.hold([change('con_2')])
  expect((await opened(folder).take()).changes).toEqual([])
  mine.release([change('con_2')])
  const next = opened(folder)
  expect(idsOf((await next.take()).changes)).toEqual(['con_2'])
  next.release([])
  expect(readdirSync(join(folder, 'browse'))).toEqual([])
})

test('a damaged file is reported, and the others stay for the next start', async () => {
  const folder = await tempFolder()
  opened(folder).release([change('con_1')])
  const [name = ''] = readdirSync(join(folder, 'browse'))
  const path = join(folder, 'browse', `${name.slice(0, 17)}ffff.json`)
  writeFileSync(path, '{', { mode: 0o600 })
  await expect(opened(folder).take()).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(path),
  })
  expect(readdirSync(join(folder, 'browse')).toSorted()).toEqual([name, `${name.slice(0, 17)}ffff.json`].toSorted())
})
