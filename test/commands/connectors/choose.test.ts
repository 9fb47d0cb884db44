import { expect, test } from 'vitest'
import { shippedNames } from '../../../src/api/connectors/shipped.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { emptyHome } from '../../harness/home.ts'

async function homeWithProfile() {
  const home = emptyHome()
  await crmPrints(['config', 'set', 'base_url', 'https://crm.example.test', '-p', 'prod'], home)
  return home
}

test('config set connector refuses what is no connector, and names those that are', async () => {
  const home = await homeWithProfile()
  const set = (name: string) => crm(['config', 'set', 'connector', name, '-p', 'prod'], home)
  const { exit, stderr } = await set('pipedriv')
  expect(exit).toBe(2)
  expect(stderr).toContain(`no connector is named "pipedriv", expected one of ${shippedNames().join(', ')}, or a file`)
  expect(stderr).toContain('did you mean pipedrive?')
  expect((await set('/nowhere/mine.yaml')).stderr).toContain('/nowhere/mine.yaml: there is no such file')
  expect(await crmPrints(['config', 'get', 'connector', '-p', 'prod'], home)).toBe('\n')
  for (const name of ['pipedrive', 'contract', '']) expect((await set(name)).exit).toBe(0)
})
