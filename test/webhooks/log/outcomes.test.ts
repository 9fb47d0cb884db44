import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { attemptText, parseAttempt } from '../../../src/webhooks/log/attempt.ts'
import { openEventLog } from '../../../src/webhooks/log/event-log.ts'
import { createOutcomes } from '../../../src/webhooks/log/outcomes.ts'
import { readLoggedEvents, recentIds } from '../../../src/webhooks/log/read-events.ts'
import { KEEP_ALL } from '../../../src/webhooks/log/segments.ts'
import { attemptAt } from '../../commands/webhooks/kept-events.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { sampleEvent } from '../sample-event.ts'

const event = sampleEvent('evt_a')
const DONE = { status: 200, failure: undefined }

function outcomeOf(...attempts: readonly (readonly [run: string, more: object])[]) {
  const outcomes = createOutcomes()
  for (const [run, more] of attempts) {
    const kept = parseAttempt(Buffer.from(attemptText(attemptAt(event, more), run)))
    if (!kept) throw new Error('not an attempt')
    outcomes.add(kept)
  }
  return outcomes.of(event)?.state
}

test('the last attempt at each target decides, and an event that one target refused has failed, in any order', () => {
  const at = event.receivedAtMs
  const early = ['1', { startedAtMs: at + 1 }] as const
  const late = ['1', { ...DONE, startedAtMs: at + 9 }] as const
  const other = ['1', { startedAtMs: at + 2, target: 'http://localhost:4000/' }] as const
  expect([outcomeOf(), outcomeOf(early), outcomeOf(early, late), outcomeOf(late, early)]).toEqual([
    undefined,
    'failed',
    'done',
    'done',
  ])
  expect([outcomeOf(late, other), outcomeOf(other, early, late)]).toEqual(['failed', 'failed'])
})

test('a replay to another target replaces the outcome of the listener, and a retry of the sender that of the replay', () => {
  const at = event.receivedAtMs
  const listener = ['1', { startedAtMs: at + 1 }] as const
  const replay = ['2', { ...DONE, startedAtMs: at + 5, target: 'http://localhost:4000/' }] as const
  const again = ['1', { startedAtMs: at + 7 }] as const
  expect([outcomeOf(listener, replay), outcomeOf(replay, listener), outcomeOf(listener, replay, again)]).toEqual([
    'done',
    'done',
    'failed',
  ])
})

test('an answer is kept up to 1,000 characters, and an attempt is no event and no damaged line', async () => {
  const folder = join(await tempFolder(), 'events')
  const log = await openEventLog({ folder, keep: KEEP_ALL, now: Date.now })
  await log.append(event)
  await log.appendAttempt(attemptAt(event, { response: 'x'.repeat(4096) }))
  await log.close()
  const damaged: string[] = []
  for (const order of ['oldest first', 'newest first'] as const) {
    const found = []
    for await (const events of readLoggedEvents(folder, { order, onDamaged: (path) => damaged.push(path) }))
      found.push(...events)
    expect(found).toMatchObject([{ id: 'evt_a', outcome: { state: 'failed', status: 500 } }])
  }
  expect(damaged).toEqual([])
  expect(await recentIds(folder, 10)).toEqual(['evt_a'])
  expect(
    parseAttempt(Buffer.from(attemptText(attemptAt(event, { response: 'x'.repeat(4096) }), '1')))?.response,
  ).toHaveLength(1000)
})

test('newest first, an attempt that another process wrote to an earlier file is found', async () => {
  const folder = join(await tempFolder(), 'events')
  const open = (nowMs: number) => openEventLog({ folder, keep: KEEP_ALL, now: () => nowMs })
  const nowMs = Date.now() - 1000
  const [earlier, later] = [await open(nowMs), await open(nowMs + 500)]
  onTestFinished(async () => void (await Promise.all([earlier.close(), later.close()])))
  await earlier.append(sampleEvent('evt_0'))
  await later.append(event)
  await earlier.appendAttempt(attemptAt(event))
  const found = []
  for await (const events of readLoggedEvents(folder, { order: 'newest first' })) found.push(...events)
  expect(found.map(({ id, outcome }) => [id, outcome?.state])).toEqual([
    ['evt_a', 'failed'],
    ['evt_0', undefined],
  ])
})
