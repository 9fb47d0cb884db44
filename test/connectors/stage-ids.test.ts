import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

// Two pipelines have stages of the same names: New, Qualified and Offer are 1, 2, 3 in the first and 4, 5, 6 in the second.

const [PIPEDRIVE] = SERVERS.filter(({ connector }) => connector === 'pipedrive')
let there: ConnectedServer

beforeEach(async () => {
  if (!PIPEDRIVE) throw new Error('there is no emulator of Pipedrive')
  there = await connected(PIPEDRIVE, { records: 3 })
})

const stages = () => there.emulator.records('deals').map(({ stage_id }) => stage_id)

async function jobOf(...args: readonly string[]) {
  return JSON.parse(await crmPrints([...args, '--yes', '-o', 'json'], there.env))
}

function fileOf(text: string): string {
  const file = join(there.env.HOME ?? '', 'deals.csv')
  writeFileSync(file, text)
  return file
}

test('a stage that is set by its id is no other value', async () => {
  const { stdout, stderr } = await crm(['deals', 'update', '1', '--set', 'stage=3', '-o', 'json'], there.env)
  expect(JSON.parse(stdout)).toMatchObject({ stage: 'Offer' })
  expect(stderr).toBe('')
})

test('a job that sets stages by their ids is undone', async () => {
  const account = await jobOf('deals', 'update', '--where', '.id == "2"', '--set', 'stage=3')
  expect(account).toMatchObject({ done: 1 })
  expect(account).not.toHaveProperty('other_values')
  expect(stages()).toEqual([1, 3, 1])
  await jobOf('jobs', 'undo', account.job)
  expect(stages()).toEqual([1, 1, 1])
})

test('rows name the stages of their deal by name or id, and those that it has are unchanged', async () => {
  const account = await jobOf('deals', 'update', '--from', fileOf('id,stage\n1,1\n2,Offer\n3,2\n'))
  expect(account).toMatchObject({ done: 2, unchanged: 1 })
  expect(account).not.toHaveProperty('other_values')
  expect(stages()).toEqual([1, 3, 2])
})

test('a new deal takes the stage with the id, of which there are two by name', async () => {
  const account = await jobOf('deals', 'import', fileOf('name,stage\nA,5\n'))
  expect(account).toMatchObject({ done: 1 })
  expect(account).not.toHaveProperty('other_values')
  expect(stages()).toEqual([1, 1, 1, 5])
})

test.each([
  ['a file', (): string[] => ['--from', fileOf('id,stage\n1,9\n')]],
  ['--set', (): string[] => ['--where', '.id == "1"', '--set', 'stage=9']],
])('an unknown stage in %s is refused with the choices', async (_, named) => {
  const { exit, stderr } = await crm(['deals', 'update', ...named(), '--yes'], there.env)
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining('there is no stage "9", expected one of New, Qualified, Offer'),
  ])
  expect(stages()).toEqual([1, 1, 1])
})
