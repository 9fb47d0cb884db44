import { appendFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { reportFailures } from '../../src/jobs/history/failures.ts'
import { encodeLine } from '../../src/jobs/journal/journal.ts'
import { makeJob } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

test('a group of failures states when its reasons differ', async () => {
  const paths = await makeJob([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  await leaveLease(paths, { leasedMs: 1, windowMs: 1, lifeMs: 1, keyMark: '0' })
  const said = [
    ['stage', 'got "lead"'],
    ['stage', 'got "Wn"'],
    ['name', 'too long'],
  ] as const
  const lines = said.map(([field, reason], op) => {
    const entry = { t: 'failed', op, status: 422, code: 'invalid_values', field, reason, request: null } as const
    return encodeLine(entry, { serial: op + 2, synced: 0 })
  })
  await appendFile(paths.journal, lines.join(''))
  expect((await reportFailures(paths))?.groups).toMatchObject([
    { field: 'stage', count: 2, lines: [2, 3], reason: 'got "lead"', isMixed: true },
    { field: 'name', count: 1, isMixed: false },
  ])
})
