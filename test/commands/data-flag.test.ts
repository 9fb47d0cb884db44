import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { tempFolder } from '../harness/home.ts'
import { test } from '../harness/shared-service.ts'

test.for([
  ['JSON itself', '{"name":"Ada","amount":12.50}', ''],
  ['@ and a file', '@FILE', ''],
  ['a file', 'FILE', ''],
  ['stdin', '-', '{"name":"Ada","amount":12.50}'],
] as const)('--data takes %s', async ([, data, stdin], { service }) => {
  const file = join(tempFolder(), 'ada.json')
  writeFileSync(file, '{"name":"Ada","amount":12.50}')
  const args = ['contacts', 'create', '--data', data.replace('FILE', file), '--set', 'vip:=true', '-o', 'json']
  expect(await crmPrints(args, service.env, stdin)).toMatch(/"name": "Ada",\n {2}"amount": 12.5,\n {2}"vip": true/)
})

test.for([
  ['{"name":', '--data is not valid JSON'],
  ['[1]', 'does not contain one record'],
  ['@no-such.json', 'no such file'],
] as const)('--data %s is refused, and nothing is sent', async ([data, message], { service }) => {
  const { exit, stderr } = await crm(['contacts', 'create', '--data', data], service.env)
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) })
})

test('--data from YAML keeps all digits of numbers, and what is no number of JSON as text', async ({ service }) => {
  const file = join(tempFolder(), 'ada.yaml')
  writeFileSync(file, 'name: Ada\nphone: 0049\ntel: +49151\nbig: 12345678901234567890\nvip: true\nnote: ~\n')
  const made = await crmPrints(['contacts', 'create', '--data', file, '-o', 'jsonl'], service.env)
  expect(made).toMatch(/"phone":"0049","tel":"\+49151","big":12345678901234567890,"vip":true/)
})
