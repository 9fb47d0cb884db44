import { appendFile, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ReceivedEvent } from '../../../src/core/webhook-events.ts'
import { type EventLogOptions, openEventLog } from '../../../src/webhooks/log/event-log.ts'
import { type ReadOptions, readEvents, recentIds } from '../../../src/webhooks/log/read-events.ts'
import { KEEP_ALL } from '../../../src/webhooks/log/segments.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { sampleEvent } from '../sample-event.ts'

async function logForTest(options: Partial<EventLogOptions> = {}) {
  const folder = options.folder ?? join(await tempFolder(), 'state', 'events')
  const log = await openEventLog({ folder, keep: KEEP_ALL, now: Date.now, ...options })
  onTestFinished(() => log.close())
  return { log, folder }
}

async function idsIn(folder: string, order: ReadOptions['order'] = 'oldest first'): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = []
  for await (const events of readEvents(folder, { order })) ids.push(...events.map(({ id }) => id))
  return ids
}

const ID = (_: unknown, at: number) => `evt_${at}`
const MANY = Array.from({ length: 500 }, ID)

test('an appended event is in a private file when append resolves, and is read back in order both ways', async () => {
  const { log, folder } = await logForTest()
  expect(await readdir(folder)).toEqual([])
  await Promise.all(MANY.map((id) => log.append(sampleEvent(id))))
  expect(await idsIn(folder)).toEqual(MANY)
  expect(await idsIn(folder, 'newest first')).toEqual(MANY.toReversed())
  const [name = ''] = await readdir(folder)
  expect(name).toMatch(/^\d{8}T\d{9}Z-\d+\.jsonl$/)
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('append resolves only when the event is on disk', async () => {
  const { log } = await logForTest()
  const handle = await open('/dev/null')
  const handles: { datasync(): Promise<void> } = Object.getPrototypeOf(handle)
  await handle.close()
  const slow = Promise.withResolvers<void>()
  const datasync = vi.spyOn(handles, 'datasync').mockImplementation(() => slow.promise)
  onTestFinished(() => datasync.mockRestore())
  let isKept = false
  const appended = log.append(sampleEvent('evt_0')).then(() => {
    isKept = true
  })
  await vi.waitFor(() => expect(datasync).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isKept).toBe(false)
  slow.resolve()
  await appended
})

test('lines longer than one read are returned both ways', async () => {
  const { log, folder } = await logForTest()
  const large = Buffer.alloc(1024 * 1024, 'x')
  await log.append(sampleEvent('evt_0'))
  await log.append(sampleEvent('evt_1', { bytes: large }))
  await log.append(sampleEvent('evt_2', { bytes: Buffer.alloc(300_000, 0xff) }))
  expect(await idsIn(folder)).toEqual(['evt_0', 'evt_1', 'evt_2'])
  expect(await idsIn(folder, 'newest first')).toEqual(['evt_2', 'evt_1', 'evt_0'])
})

test('a reader skips an unfinished line of a writer and a damaged line', async () => {
  const { log, folder } = await logForTest()
  await log.append(sampleEvent('evt_0'))
  const [name = ''] = await readdir(folder)
  await appendFile(join(folder, name), `${'\0'.repeat(10)}\n{"v":1,"id":"evt_torn`)
  for (const order of ['oldest first', 'newest first'] as const) {
    const damaged: string[] = []
    const ids: (string | undefined)[] = []
    for await (const events of readEvents(folder, { order, onDamaged: (path) => damaged.push(path) })) {
      ids.push(...events.map(({ id }) => id))
    }
    expect({ ids, damaged }).toEqual({ ids: ['evt_0'], damaged: [join(folder, name)] })
  }
})

test('a full file is followed by a new one, and the order is kept', async () => {
  const { log, folder } = await logForTest({ segmentBytes: 2000 })
  for (const id of MANY.slice(0, 50)) await log.append(sampleEvent(id))
  expect((await readdir(folder)).length).toBeGreaterThan(5)
  expect(await idsIn(folder)).toEqual(MANY.slice(0, 50))
  expect(await idsIn(folder, 'newest first')).toEqual(MANY.slice(0, 50).toReversed())
})

test('nothing is deleted without keep; with it, whole files with the oldest writes', async () => {
  const keep = { maxAgeMs: undefined, maxBytes: 6000 }
  const { log, folder } = await logForTest({ segmentBytes: 2000, keep })
  for (const id of MANY.slice(0, 100)) await log.append(sampleEvent(id))
  const ids = await idsIn(folder)
  expect(ids).toEqual(MANY.slice(100 - ids.length, 100))
  expect(ids.length).toBeGreaterThan(5)
  expect((await readdir(folder)).length).toBeLessThan(6)
})

test('files older than keep are deleted when the next file is created', async () => {
  let nowMs = Date.now()
  const keep = { maxAgeMs: 3_600_000, maxBytes: undefined }
  const deletions: object[] = []
  const onDeleted = (deleted: object) => void deletions.push(deleted)
  const { log, folder } = await logForTest({ segmentBytes: 1, keep, now: () => nowMs, onDeleted })
  await log.append(sampleEvent('evt_0'))
  nowMs += 3_000_000
  await log.append(sampleEvent('evt_1'))
  expect(await idsIn(folder)).toEqual(['evt_0', 'evt_1'])
  expect(deletions).toEqual([])
  nowMs += 3_000_000
  await log.append(sampleEvent('evt_2'))
  expect(await idsIn(folder)).toEqual(['evt_2'])
  expect(deletions).toMatchObject([{ fileCount: 2, sizeBytes: expect.any(Number) }])
})

test('an event whose file is deleted before it is acknowledged is written to another one', async () => {
  const { log, folder } = await logForTest()
  await log.append(sampleEvent('evt_0'))
  await rm(folder, { recursive: true })
  await log.append(sampleEvent('evt_1'))
  expect(await idsIn(folder)).toEqual(['evt_1'])
})

test('two writers share a folder, and readers see the events of both', async () => {
  const one = await logForTest()
  const other = await logForTest({ folder: one.folder })
  await Promise.all(MANY.map((id, at) => (at % 2 ? one : other).log.append(sampleEvent(id))))
  expect((await idsIn(one.folder)).toSorted()).toEqual(MANY.toSorted())
})

test('readers see a prefix of the events while a writer writes', async () => {
  const { log, folder } = await logForTest({ segmentBytes: 20_000 })
  const writing = Promise.all(MANY.map(async (id, at) => at % 50 === 0 || (await log.append(sampleEvent(id)))))
  const expected = MANY.filter((_, at) => at % 50 !== 0)
  for (let read = 0; read < 10; read++) {
    const ids = await idsIn(folder)
    expect(ids).toEqual(expected.slice(0, ids.length))
  }
  await writing
  expect(await idsIn(folder)).toEqual(expected)
})

test('the newest ids are read at a start, oldest first', async () => {
  const { log, folder } = await logForTest({ segmentBytes: 3000 })
  for (const id of MANY.slice(0, 30)) await log.append(sampleEvent(id))
  expect(await recentIds(folder, 7)).toEqual(MANY.slice(23, 30))
  expect(await recentIds(folder, 100)).toEqual(MANY.slice(0, 30))
  expect(await recentIds(join(folder, 'none'), 7)).toEqual([])
})

test('the error names a folder that cannot be written', async () => {
  await expect(openEventLog({ folder: '/proc/events', keep: KEEP_ALL, now: Date.now })).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringContaining('/proc/events'),
  })
})

test('a line of the log is as documented and contains no secret', async () => {
  const { log, folder } = await logForTest()
  const event: ReceivedEvent = sampleEvent('evt_1')
  await log.append(event)
  const [name = ''] = await readdir(folder)
  expect(await readFile(join(folder, name), 'utf8')).toBe(
    '{"v":1,"id":"evt_1","event":"contact.created","record_id":"con_evt_1","received_at":"2026-01-02T00:00:00.000Z",' +
      '"verified":true,"duplicate":false,"scheme":"standard-webhooks","subscription_id":"wh_1",' +
      '"url":"http://127.0.0.1:4242/hook?a=1","headers":[["webhook-id","evt_1"]],' +
      '"body_text":"{\\"type\\":\\"contact.created\\",\\"data\\":{\\"id\\":\\"con_evt_1\\"}}"}\n',
  )
})
