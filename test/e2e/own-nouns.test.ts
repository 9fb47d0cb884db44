import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newDatabase } from '../harness/database.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { crm } from './crm.ts'
import { serve, startService } from './service.ts'

const OBJECTS = `objects:
  machines:
    fields: { serial: { unique: true }, contact_id: { to: contacts }, state: { options: [new, used] }, hours: { type: integer } }
`

let folder: string
let file: string
beforeEach(() => {
  folder = tempFolder()
  file = join(folder, 'objects.yaml')
  writeFileSync(file, OBJECTS)
})

/** What a command prints; it succeeds. */
async function out(words: readonly string[], env: Parameters<typeof crm>[1]): Promise<string> {
  const { exit, stdout, stderr } = await crm(words, env)
  if (exit !== 0) throw new Error(`crm ${words.join(' ')} is exit ${exit}: ${stderr}`)
  return stdout
}

test('an object of the server is a noun with all verbs: also as an import that is undone', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--objects', file])
  const made = JSON.parse(
    await out(['machines', 'create', '--set', 'serial=S1', '--set', 'hours:=12', '-o', 'json'], env),
  )
  expect(made).toMatchObject({ id: expect.stringMatching(/^machine_/), serial: 'S1', hours: 12 })
  await out(['machines', 'update', made.id, '--set', 'state=used'], env)
  expect(JSON.parse(await out(['machines', 'get', made.id, '-o', 'json'], env))).toMatchObject({ state: 'used' })
  expect(await out(['machines', 'history', made.id, '--jq', 'map(.action) | join(" ")'], env)).toBe('updated created\n')

  const rows = Array.from({ length: 40 }, (_, place) => `A${place},new,${place}\n`)
  writeFileSync(join(folder, 'm.csv'), `serial,state,hours\nS1,new,13\n${rows.join('')}`)
  await out(['machines', 'import', join(folder, 'm.csv'), '--match', 'serial', '--yes'], env)
  expect((await out(['machines', 'list', '-o', 'id'], env)).split('\n')).toHaveLength(42)
  expect(JSON.parse(await out(['machines', 'get', made.id, '-o', 'json'], env))).toMatchObject({
    state: 'new',
    hours: 13,
  })
  const [job = ''] = (await out(['jobs', 'list', '-o', 'id'], env)).split('\n')
  await out(['jobs', 'undo', job, '--yes', '--expect', '40'], env)
  const left = JSON.parse(await out(['machines', 'list', '-o', 'json'], env))
  expect(left).toMatchObject([{ id: made.id, serial: 'S1', state: 'used', hours: 12 }])
  await out(['machines', 'delete', made.id, '--yes'], env)
  expect(await out(['records', 'machines', 'list', '-o', 'json'], env)).toBe('[]\n')
})

test('objects and fields say what the server has; what a profile knows of them helps, completes and corrects', async () => {
  const home = emptyHome()
  await serve(['--database', await newDatabase(), '--objects', file], home)
  expect(await out(['objects', '--jq', 'map(select(.own) | .name) | join(" ")'], home)).toBe('machines\n')
  expect(existsSync(join(home.HOME, '.config/crm/objects.json'))).toBe(true)
  expect(JSON.parse(await out(['fields', 'machines', '-o', 'json'], home))).toContainEqual(
    expect.objectContaining({ name: 'state', type: 'string', options: ['new', 'used'], required: false }),
  )
  expect(JSON.parse(await out(['fields', 'deals', '-o', 'json'], home))).toContainEqual(
    expect.objectContaining({ name: 'stage', required: true }),
  )
  expect(await out(['help'], home)).toMatch(/^ {2}machines .*list, read, create, change and delete machines/m)
  expect(await out(['machines', 'import', '--help'], home)).toContain('create machines from a csv')
  expect((await crm(['__complete', 'fish', 'mach'], home)).stdout).toContain('machines')
  expect((await crm(['__complete', 'fish', 'machines', ''], home)).stdout).toContain('import')
  expect(await crm(['machine', 'list'], home)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("unknown command 'machine'; did you mean machines?"),
  })
  expect(await crm(['fields', 'machine'], home)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('did you mean machines?'),
  })
})

test('a job about an object of another server says so', async () => {
  const { env } = await startService(['--database', await newDatabase(), '--objects', file])
  writeFileSync(join(folder, 'm.csv'), 'serial\nA1\n')
  await out(['machines', 'import', join(folder, 'm.csv'), '--yes'], env)
  const [job = ''] = (await out(['jobs', 'list', '-o', 'id'], env)).split('\n')
  rmSync(join(env.HOME, '.config/crm/objects.json'))
  const undo = await crm(['jobs', 'undo', job, '--yes', '--expect', '1'], env)
  expect(undo).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('nothing is known of machines on this server\n  crm objects'),
  })
  await out(['objects'], env)
  await out(['jobs', 'undo', job, '--yes', '--expect', '1'], env)
})
