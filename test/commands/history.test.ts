import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { somePeople, writePeople } from '../harness/import-run.ts'
import { serve } from '../harness/service.ts'
import { serveForTest } from '../service/serve-for-test.ts'

/** A profile of a service, as this connector describes it. */
async function loggedIn(connector = 'crm') {
  const service = await serveForTest()
  const { url } = service
  const env = { ...emptyHome(), CRM_STATE_HOME: join(tempFolder(), 'state') }
  await crmPrints(
    ['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', '--connector', connector],
    env,
    service.key.text,
  )
  const json = async (...argv: string[]) => JSON.parse(await crmPrints([...argv, '-o', 'json'], env))
  const importThree = async () => {
    await crmPrints(['contacts', 'import', writePeople(tempFolder(), somePeople(3)), '--yes'], env)
    return (await json('jobs', 'list'))[0].id as string
  }
  return { service, url, env, json, importThree }
}

test('the history of a contact names the job and the key of each change, with old and new values', async () => {
  const { service, json, importThree } = await loggedIn()
  const job = await importThree()
  const [{ id }] = await json('contacts', 'list')
  await service.send('PATCH', `/v1/contacts/${id}`, { company: 'Acme' })
  expect(await json('contacts', 'history', id)).toMatchObject([
    { action: 'updated', fields: ['company'], new: { company: 'Acme' }, job: null, key_name: 'test' },
    { action: 'created', record_id: id, old: null, job, key_name: 'test' },
  ])
  expect(await json('contacts', 'history', id, '--limit', '1')).toHaveLength(1)
  expect(await json('contacts', 'history', id, '--since', '1h')).toHaveLength(2)
  expect(await json('contacts', 'history', id, '--since', '2100-01-01T00:00:00Z')).toEqual([])
})

test('the first command with the profile that crm serve made names its job', async () => {
  const env = { ...emptyHome(), CRM_STATE_HOME: join(tempFolder(), 'state') }
  await serve([], env)
  const json = async (...argv: string[]) => JSON.parse(await crmPrints([...argv, '-o', 'json'], env))
  const { job } = await json('contacts', 'import', writePeople(tempFolder(), somePeople(1)))
  expect(await json('history')).toMatchObject([{ action: 'created', job, key_name: 'first' }])
})

test('updates and deletions of a job name it, too', async () => {
  const { env, json, importThree } = await loggedIn()
  await importThree()
  await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes', '--expect', '3'], env)
  await crmPrints(['contacts', 'delete', '--where', 'true', '--yes', '--expect', '3'], env)
  const [removal, update] = await json('jobs', 'list')
  const actions = async (job: string) =>
    (await json('history', '--job', job)).map(({ action }: { action: string }) => action)
  expect(await actions(update.id)).toEqual(['updated', 'updated', 'updated'])
  expect(await actions(removal.id)).toEqual(['deleted', 'deleted', 'deleted'])
})

test('crm history is filtered by time, key, job and kind of record', async () => {
  const { service, env, json, importThree } = await loggedIn()
  const other = await service.addKey(['write'], { name: 'nightly' })
  await importThree()
  await service.send('POST', '/v1/deals', { name: 'Fleet', stage: 'Lead' }, { authorization: `Bearer ${other.text}` })
  expect(await json('history', '--since', '1d')).toHaveLength(4)
  expect(await json('history', '--key', 'nightly')).toMatchObject([{ resource: 'deal', key_name: 'nightly' }])
  expect(await json('history', '--resource', 'contact', '--key', 'test')).toHaveLength(3)
  const unknown = await crm(['history', '--key', 'nobody'], env)
  expect(unknown).toMatchObject({ exit: 7, stderr: expect.stringContaining('there is no key with the id or name') })
  for (const since of ['yesterday', '2026-13-45T00:00:00Z']) {
    expect(await crm(['history', '--since', since], env)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Expected a time span such as 1d'),
    })
  }
})

test('where the connector has no history, jobs of this machine answer what they can, and say that it is not all', async () => {
  const { service, env, json, importThree } = await loggedIn('contract')
  const job = await importThree()
  await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes', '--expect', '3'], env)
  const changes = (await service.send('GET', '/v1/history')).json.data as { job: unknown }[]
  expect(new Set(changes.map((change) => change.job))).toEqual(new Set([null]))
  const [{ id }] = await json('contacts', 'list')
  const shown = await crm(['contacts', 'history', id, '-o', 'json'], env)
  expect(shown.stderr).toContain(
    'it is not all: changes by others, by single commands and on other machines are missing',
  )
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { action: 'updated', record_id: id, fields: ['company'], new: { company: 'Acme' }, old: { company: null } },
    { action: 'created', record_id: id, job },
  ])
  expect(await json('history', '--job', job.slice(-5))).toHaveLength(3)
  expect(await crm(['history', '--key', 'test'], env)).toMatchObject({ exit: 7 })
})

test('jobs show names command, server, file and fields, and jobs list those of this server alone', async () => {
  const { url, env, json, importThree } = await loggedIn()
  const job = await importThree()
  expect(await json('jobs', 'show', job)).toMatchObject({
    ...{ server: url, command: expect.stringMatching(/^crm contacts import .*people\.csv --yes$/), undone_by: null },
    ...{ fields: ['email', 'name'], input: expect.stringMatching(/people/) },
  })
  await crmPrints(['jobs', 'undo', job, '--yes', '--expect', '3'], env)
  const [undo, undone] = await json('jobs', 'list')
  expect([undo, undone]).toMatchObject([{ undoes: job }, { id: job, undone_by: undo.id, undoes: null }])
  const elsewhere = { ...env, CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: 'k' }
  const other = await crm(['jobs', 'list'], elsewhere)
  expect(other).toMatchObject({ exit: 0, stdout: '' })
  expect(other.stderr).toContain('2 jobs for other servers are not shown: crm jobs list --all')
  expect(JSON.parse(await crmPrints(['jobs', 'list', '--all', '-o', 'json'], elsewhere))).toHaveLength(2)
})
