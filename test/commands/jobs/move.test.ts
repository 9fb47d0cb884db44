import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { crm } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { emailsOn, somePeople, writePeople } from '../../harness/import-run.ts'
import { ask } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'

vi.setConfig({ testTimeout: 60_000 })

test('records listed by one server are created on another without their ids, as the help states', async () => {
  const folder = tempFolder()
  const [from, to] = await Promise.all([startService(), startService()])
  const state = { CRM_STATE_HOME: join(folder, 'state') }
  await crm(['contacts', 'import', writePeople(folder, somePeople(3))], { ...from.env, ...state })
  const list = await crm(['contacts', 'list', '-o', 'jsonl'], from.env)
  const file = join(folder, 'list.jsonl')
  writeFileSync(file, list.stdout)
  const help = await crm(['contacts', 'import', '--help'], to.env)
  expect(help.stdout).toContain('-p new --run-id move --map id=')
  const moved = await crm(['contacts', 'import', file, '--run-id', 'move', '--map', 'id='], { ...to.env, ...state })
  expect(moved).toMatchObject({ exit: 0 })
  expect(await emailsOn(to)).toEqual(await emailsOn(from))
  expect((await ask(to, { path: '/v1/contacts' })).body.data).toHaveLength(3)
})
