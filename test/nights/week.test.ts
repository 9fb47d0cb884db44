import { expect, test } from 'vitest'
import { CRM } from '../e2e/crm.ts'
import { playWeek } from './week.ts'

test('seven nights of the documented line keep a server as its rules say, whatever happens to them', async ({
  annotate,
}) => {
  const lines: string[] = []
  const { faults, met, isDiskSkipped } = await playWeek({
    ...{ crm: CRM, rows: 2000, seed: 7 },
    print: (line) => lines.push(line),
  })
  if (isDiskSkipped) await annotate('the night of the full disk was skipped: nothing may be mounted here')
  expect(faults, lines.join('\n')).toEqual([])
  for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(5)
})
