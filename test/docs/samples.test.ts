import { expect, test } from 'vitest'
import { untrueLines } from './samples.ts'
import { crmCommands } from './shell-commands.ts'

test('a sample may differ from the output only in ids, times and addresses', () => {
  const printed = 'con_1  2026-01-02T03:04:05Z  http://127.0.0.1:41234\nrows  3\n'
  expect(untrueLines(['con_0abc 2025-12-31T00:00:00.123Z http://127.0.0.1:4243', '', 'rows  3'], printed)).toEqual([])
  expect(untrueLines(['rows  4', 'con_1 …'], printed)).toEqual(['rows  4'])
  expect(untrueLines(['rows  3', 'rows  3'], printed)).toEqual(['rows  3'])
})

test.each([
  [
    'crm contacts list -o id | crm contacts delete - --yes',
    [
      ['contacts', 'list', '-o', 'id'],
      ['contacts', 'delete', '-', '--yes'],
    ],
  ],
  ["crm deals list --where '.a > 1 | not' # with; a comment", [['deals', 'list', '--where', '.a > 1 | not']]],
  ['A=1 npx crm api GET "/v1/x?a=\\"b\\"" > out.json 2>&1', [['api', 'GET', '/v1/x?a="b"']]],
  ['CRM_API_KEY=$(crm auth token -p local) ./script', [['auth', 'token', '-p', 'local']]],
  ['crm contacts create \\\n  --set name="Ada Lovelace"', [['contacts', 'create', '--set', 'name=Ada Lovelace']]],
  ["trap 'crm fixtures destroy a.yaml' EXIT; echo crm", [['fixtures', 'destroy', 'a.yaml']]],
  ['echo crm serve && (crm serve)', [['serve']]],
])('the commands in %s', (script, commands) => {
  expect(crmCommands(script)).toEqual(commands)
})
