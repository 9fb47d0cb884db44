import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventIds } from '../../src/completion/event-ids.ts'
import { attemptAt, homeWith } from '../commands/webhooks/kept-events.ts'
import { emptyHome } from '../harness/home.ts'
import { sampleEvent } from '../webhooks/sample-event.ts'

test('the newest events of the log are offered first, each once, with their names and records', async () => {
  const events = Array.from({ length: 60 }, (_, at) => sampleEvent(`evt_${at}`))
  const { home } = await homeWith([...events, sampleEvent('evt_7')], [attemptAt(sampleEvent('evt_1'))])
  const ids = eventIds(home)
  expect(ids).toHaveLength(50)
  expect(ids.slice(0, 3)).toEqual([
    ['evt_7', 'contact.created con_evt_7'],
    ['evt_59', 'contact.created con_evt_59'],
    ['evt_58', 'contact.created con_evt_58'],
  ])
})

test('damaged lines and events without an id are not offered, and a home without a log has none', async () => {
  const { home, folder } = await homeWith([sampleEvent('evt_a')])
  const [name = ''] = readdirSync(folder)
  appendFileSync(
    join(folder, name),
    '{"v":1,"id":null,"event":null,"record_id":null,"x":1}\n{"v":1,"id":"evt_torn","ev',
  )
  expect(eventIds(home).map(([id]) => id)).toEqual(['evt_a'])
  expect(eventIds(emptyHome())).toEqual([])
})
