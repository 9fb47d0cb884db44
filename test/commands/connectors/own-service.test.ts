import { expect, test } from 'vitest'
import { crm, crmPrints } from '../../harness/crm.ts'
import type { Env } from '../../harness/home.ts'
import { startService } from '../../harness/service.ts'

const printsAll = async (env: Env, lines: readonly (readonly string[])[]) => {
  const printed: string[] = []
  for (const line of lines) printed.push((await crmPrints([...line], env)).trim())
  return printed
}

test('crm.yaml reaches everything that the service offers, without looking for it', async () => {
  const { env: own } = await startService()
  const env = { ...own, CRM_CONNECTOR: 'crm' }
  const id = (await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], env)).trim()
  const deal = (await crmPrints(['deals', 'create', '--set', 'name=D', '--set', 'stage=Lead', '-o', 'id'], env)).trim()
  const hook = ['--url', 'http://127.0.0.1:9', '--events', '*', '-o', 'id']
  const webhook = (await crmPrints(['webhooks', 'create', ...hook], env)).trim()
  expect(JSON.parse(await crmPrints(['contacts', 'get', id, '-o', 'json'], env))).toEqual({
    id,
    name: 'Ada',
    created_at: expect.any(String),
    updated_at: expect.any(String),
    version: 1,
  })
  await crmPrints(['contacts', 'update', id, '--set', 'phone=1'], env)
  await crmPrints(['deals', 'update', deal, '--set', 'name=E'], env)
  await crmPrints(['notes', 'add', deal, '--body', 'hello'], env)
  await crmPrints(['webhooks', 'test', webhook], env)
  const lists = await printsAll(env, [
    ['contacts', 'list', '--filter', 'name=Ada', '-o', 'id'],
    ['deals', 'list', '--filter', 'amount[lte]=5', '-o', 'id'],
    ['webhooks', 'list', '-o', 'id'],
    ['pipelines', 'list', '-o', 'id'],
    ['notes', 'list', deal, '--jq', '.[].body'],
    ['contacts', 'history', id, '--jq', '.[].action'],
    ['graphql', '{ deals { nodes { name } } }', '--jq', '.data.deals.nodes[].name'],
  ])
  expect(lists).toEqual([id, '', webhook, 'sales', 'hello', 'updated\ncreated', 'E'])
  const sent = (await crm(['contacts', 'list', '--debug'], env)).stderr.match(/(?:GET|POST) [^\s:]+/g) ?? []
  expect(new Set(sent)).toEqual(new Set(['GET /v1/contacts?limit=500']))
})

test('contract.yaml needs the nine endpoints alone, and what they lack is exit 7', async () => {
  const { env: own } = await startService()
  const env = { ...own, CRM_CONNECTOR: 'contract' }
  const id = (await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'id'], env)).trim()
  const deal = (await crmPrints(['deals', 'create', '--set', 'name=D', '--set', 'stage=Lead', '-o', 'id'], env)).trim()
  const shown = await printsAll(env, [
    ['contacts', 'get', id, '--jq', '.name'],
    ['contacts', 'list', '-o', 'id'],
    ['deals', 'get', deal, '--jq', '.stage'],
    ['pipelines', 'stages', 'sales', '--jq', '.[0].id'],
    ['notes', 'add', deal, '--body', 'hello', '--jq', '.body'],
  ])
  expect(shown).toEqual(['Ada', id, 'Lead', 'sales.lead', 'hello'])
  for (const line of [
    ['deals', 'update', deal, '--set', 'name=E'],
    ['notes', 'list', deal],
    ['pipelines', 'list'],
    ['webhooks', 'list'],
    ['contacts', 'list', '--filter', 'name=Ada'],
  ]) {
    const { exit, stdout } = await crm(line, env)
    expect({ line, exit, stdout }).toEqual({ line, exit: 7, stdout: '' })
  }
})
