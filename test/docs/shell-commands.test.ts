import { expect, test } from 'vitest'
import { crmCommands } from './shell-commands.ts'

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
