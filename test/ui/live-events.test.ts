import { expect, test } from 'vitest'
import type { ForwardResult, ListenEvent, ReceivedEvent } from '../../src/core/webhook-events.ts'
import type { Ui } from '../../src/ui/ui.ts'
import { type TestUi, uiOf } from './ui-of.ts'

const AT_MS = Date.UTC(2026, 0, 2)

function event(receivedAtMs: number, isDuplicate: boolean): ReceivedEvent {
  return {
    ...{ type: 'event', id: 'evt_1', name: 'deal.created', recordId: 'deal_1', receivedAtMs },
    ...{ isVerified: true, isDuplicate, scheme: undefined, subscriptionId: undefined },
    body: { type: 'json', text: '{}', value: {} },
    delivery: { url: 'http://localhost/', headers: [], bytes: Buffer.alloc(0) },
  }
}

function result(receivedAtMs: number, attempt: number, status: number): ForwardResult {
  const failure = status < 300 ? undefined : `answered ${status}`
  return {
    ...{ type: 'forwarded', id: 'evt_1', name: 'deal.created', target: 'http://app.test/' },
    ...{ receivedAtMs, startedAtMs: receivedAtMs, tookMs: 5, attempt, status, failure },
    ...{ retryInMs: undefined, response: undefined },
  }
}

async function receiving(): Promise<{ ui: TestUi; receive: (listenEvent: ListenEvent) => void }> {
  let receive = (_: ListenEvent): void => {}
  const live = { url: 'http://localhost/', onEvents: (take: typeof receive) => (receive = take) }
  const ui = await uiOf('events', { live })
  return { ui, receive: (listenEvent) => receive(listenEvent) }
}

const states = ({ store }: Ui) => store.get().lists.events.rows.map(({ state }) => state)

test('each attempt keeps its own result: a failure is still shown after a successful retry of the sender', async () => {
  const { ui, receive } = await receiving()
  receive(event(AT_MS, false))
  receive(result(AT_MS, 1, 503))
  await expect.poll(() => states(ui)).toEqual(['verified -> 503'])
  receive(event(AT_MS + 1_000, true))
  receive(result(AT_MS + 1_000, 1, 200))
  await expect.poll(() => states(ui)).toEqual(['verified again -> 200', 'verified -> 503'])
})

test('all retries of crm are shown in the state, and each with its reason in the pane', async () => {
  const { ui, receive } = await receiving()
  receive(event(AT_MS, false))
  for (const [index, status] of [503, 503, 500, 200].entries()) receive(result(AT_MS, index + 1, status))
  await expect.poll(() => states(ui)).toEqual(['verified -> 503 x2, 500, 200'])
  expect(ui.store.get().lists.events.rows[0]).toMatchObject({
    'attempt 1': '503: answered 503 · http://app.test/',
    'attempt 3': '500: answered 500 · http://app.test/',
    'attempt 4': '200 in 5 ms · http://app.test/',
  })
  expect(Object.keys(ui.store.get().lists.events.rows[0] ?? {}).at(-1)).toBe('body')
})

test('results of an event that is only counted are present when it is shown', async () => {
  const { ui, receive } = await receiving()
  receive(event(AT_MS, false))
  await expect.poll(() => states(ui)).toHaveLength(1)
  ui.press('enter')
  receive(event(AT_MS + 1_000, true))
  receive(result(AT_MS + 1_000, 1, 503))
  await expect.poll(() => ui.store.get().lists.events.news).toBe(1)
  receive(result(AT_MS + 1_000, 2, 200))
  await ui.background.events.look()
  expect(states(ui)).toEqual(['verified again -> 503, 200', 'verified'])
})

test('a rejected request has no id and no command to copy, as it is not kept', async () => {
  const { ui, receive } = await receiving()
  receive({
    ...{ type: 'rejected', reason: 'stale', status: 401, detail: 'signed 900 s ago', receivedAtMs: AT_MS },
    ...{ method: 'POST', path: '/', headerNames: [] },
  })
  await expect.poll(() => states(ui)).toEqual(['401 stale'])
  ui.press('y', 'Y')
  const texts = ui.store.get().toasts.map(({ text }) => text)
  expect(texts).toEqual(['There is no id to copy', 'There is no command to copy'])
})
