import { describe, expect, test } from 'vitest'
import { receiveEvents } from '../harness/event-receiver.ts'
import { make } from '../harness/records.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('Webhooks shows why a delivery fails, and a sends the event again, once the receiver is mended', async () => {
    const service = await startService()
    let status = 503
    const receiver = await receiveEvents(() => status)
    await make(service, '/v1/webhooks', [{ url: receiver.url, events: ['contact.*'] }])
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    await receiver.until((events) => events.length > 0)
    const [failed] = receiver.events
    const terminal = openTerminal(['browse', 'webhooks'], service.env, { columns: 140, rows: 30 })
    await terminal.sees('enabled')
    await expect
      .poll(() => {
        terminal.type('r')
        return terminal.screen()
      })
      .toContain('503 pending')
    terminal.press('Enter')
    await terminal.sees(/again \S+ · answered/)
    terminal.type('R')
    await terminal.sees('1 of its newest 1 deliveries failed')
    const before = receiver.events.length
    status = 204
    terminal.type('y')
    await terminal.sees(/sends event evt_\w+ to wh_\w+ again/)
    await receiver.until((events) => events.length > before)
    expect(receiver.events.at(-1)?.id).toBe(failed?.id)
    await expect
      .poll(() => {
        terminal.type('r')
        return terminal.screen()
      })
      .toMatch(/ 204 /)
  })
})
