import { expect, test } from 'vitest'
import { reportFailures } from '../../src/jobs/history/failed-file.ts'
import { makeJob } from './job-fixture.ts'
import { addEntries, leaveLease } from './left-lease.ts'

test('a group of failures states when its reasons differ', async () => {
  const paths = await makeJob([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  leaveLease(paths, { leasedMs: 1, windowMs: 1, lifeMs: 1, keyMark: '0' })
  const said = [
    ['stage', 'got "lead"'],
    ['stage', 'got "Wn"'],
    ['name', 'too long'],
  ] as const
  const failure = { t: 'failed', status: 422, code: 'invalid_values', request: null } as const
  addEntries(
    paths,
    said.map(([field, reason], op) => ({ ...failure, op, field, reason })),
  )
  expect((await reportFailures(paths))?.groups).toMatchObject([
    { field: 'stage', count: 2, lines: [2, 3], reason: 'got "lead"', isMixed: true },
    { field: 'name', count: 1, isMixed: false },
  ])
})
