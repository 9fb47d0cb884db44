import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { newDatabase } from '../../harness/database.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { all, ask, make } from '../../harness/records.ts'
import { crm, crmPrints } from '../crm.ts'
import { startService } from '../service.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

const SITES = 'sites: { fields: { name: {}, main_machine: { to: machines }, company: { to: companies } } }'
const MACHINES = `machines:
    fields: { serial: { unique: true }, site: { to: sites }, parts: { to: machines, many: true }, owner_id: {} }`

async function serve(...objects: readonly string[]) {
  const file = join(tempFolder(), 'objects.yaml')
  writeFileSync(file, ['objects:', ...objects.map((each) => `  ${each}`), ''].join('\n'))
  return startService(['--database', await newDatabase(), '--objects', file])
}

test('objects that users of both servers described are moved with their references, also in a circle, and others named', async () => {
  const env = emptyHome()
  const [from, to] = [await serve(MACHINES, SITES, 'leases: { fields: { name: {} } }'), await serve(SITES, MACHINES)]
  for (const [name, { url, key }] of Object.entries({ old: from, new: to })) {
    const login = ['auth', 'login', '--base-url', url, '--storage', 'file', '--key-stdin', '-p', name]
    await crmPrints(login, env, key)
  }
  const [company = ''] = await make(from, '/v1/companies', [{ name: 'Engines' }])
  const [site = ''] = await make(from, '/v1/sites', [{ name: 'Bonn', company }])
  const [cog = ''] = await make(from, '/v1/machines', [{ serial: 'C1', site, owner_id: 'u_ines' }])
  const [press = ''] = await make(from, '/v1/machines', [{ serial: 'P1', parts: [cog] }])
  await ask(from, { method: 'PATCH', path: `/v1/sites/${site}`, body: { main_machine: press } })
  await make(from, '/v1/leases', [{ name: 'L1' }])

  const words = ['migrate', '--from', 'old', '--to', 'new', '--yes', '-o', 'json']
  const { exit, stdout, stderr } = await crm(words, env)
  expect(exit, stderr).toBe(0)
  expect(stderr).toContain('Not migrated: leases; the target: crm (connector) has no leases.\n')
  expect(stderr).toContain('Not carried over, of machines: owner_id (1)\n')
  const rows: Record<string, unknown>[] = JSON.parse(stdout)
  expect(rows.map(({ resource, equal }) => [resource, equal])).toEqual([
    ['companies', 1],
    ['contacts', 0],
    ['deals', 0],
    ['notes', 0],
    ['tasks', 0],
    ['sites', 1],
    ['machines', 2],
  ])
  const [[moved], [there]] = [await all(to, '/v1/companies'), await all(to, '/v1/sites')]
  const machines = await all(to, '/v1/machines')
  const [newCog, newPress] = ['C1', 'P1'].map((serial) => machines.find((each) => each.serial === serial))
  expect(there).toMatchObject({ name: 'Bonn', company: moved?.id, main_machine: newPress?.id })
  expect(newCog).toMatchObject({ site: there?.id })
  expect(newPress).toMatchObject({ parts: [newCog?.id] })

  const diff = ['diff', 'profile:old', 'profile:new', '--key', 'serial,name']
  expect((await crm(diff, env)).stderr).toContain('Not compared: leases, which profile:new does not have.\n')
  expect(await crm([...words, '--only', 'leases'], env)).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('nothing can be migrated: leases; the target: '),
  })
  const jobs: { id: string; rows: number }[] = JSON.parse(
    await crmPrints(['jobs', 'list', '-p', 'new', '-o', 'json'], env),
  )
  for (const { id, rows } of jobs)
    await crmPrints(['jobs', 'undo', id, '-p', 'new', '--yes', '--expect', String(rows)], env)
  for (const path of ['companies', 'sites', 'machines']) expect(await all(to, `/v1/${path}`)).toEqual([])
})
