import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { ask } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

vi.setConfig({ testTimeout: 60_000 })

test('a stage that no pipeline has is refused before anything is sent, on a server without a single deal too', async () => {
  const service = await startService()
  const file = join(tempFolder(), 'deals.csv')
  writeFileSync(file, 'name,stage\nA,Won\nB,lead\nC,Wn\n')
  const run = await crm(['deals', 'import', file], service.env)
  expect(run.exit).toBe(2)
  expect(run.stderr).toContain('"lead"')
  expect(run.stderr).toContain('"Wn"')
  expect((await ask(service, { path: '/v1/deals' })).body.data).toEqual([])
})

test('a missing plan is a usage error', async () => {
  const service = await startService()
  const run = await crm(['apply', 'nofile'], service.env)
  expect(run.exit).toBe(2)
  expect(run.stderr).toContain('there is no plan "nofile"')
})

test('errors in rows are printed with -q too, without their values', async () => {
  const service = await startService()
  const file = join(tempFolder(), 'deals.csv')
  writeFileSync(file, 'name,stage\nA,lead\n')
  const run = await crm(['deals', 'import', file, '-q'], service.env)
  expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('1 × not allowed in "stage": line 2\n') })
  expect(run.stderr).not.toContain('"lead"')
})

test('with -o json each cause and each finding is a JSON line, and the error is the last one', async () => {
  const service = await startService()
  const file = join(tempFolder(), 'people.csv')
  writeFileSync(file, 'name,email,score\nAda,a@x.test,1\nBob,b@x.test,"9,5"\nCyd\n')
  const run = await crm(['contacts', 'import', file, '--map', 'score=score:number', '-o', 'json'], service.env)
  expect(run).toMatchObject({ exit: 2, stdout: '' })
  const lines = run.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { findings: { code: 'not_a_number', column: 'score', count: 1 } },
    { findings: { code: 'ragged_row', column: null, count: 1 } },
    { finding: { file, line: 3, code: 'not_a_number', column: 'score', value: '9,5', count: 1 } },
    { finding: { file, line: 4, code: 'ragged_row', column: null, count: 1 } },
    { error: { code: 'invalid_input' } },
  ])
})
