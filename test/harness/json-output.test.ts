import { expect, test } from 'vitest'
import { checkJsonOutput } from './json-output.ts'

const STATUS = {
  profile: null,
  base_url: null,
  protected: null,
  source: null,
  kept_in: null,
  bound_to: null,
  sign_in: null,
  client_id: null,
  token_ends_at: null,
  refresh_ends_at: null,
  is_renewed: null,
  last_four: null,
  shadows: [],
  accepted: true,
  key_id: null,
  key_name: null,
  scopes: null,
  expires_at: null,
  rate_limit: null,
  account: null,
}

/** What a run printed, and what is wrong with it. */
test.each<[args: string[], stdout: unknown, wrong: string | undefined]>([
  [['contacts', 'list', '-o', 'json'], [{ id: 'con_1', of_this_server: true }], undefined],
  [['contacts', 'list', '-o', 'json'], [{ id: true }], 'crm schema contacts list'],
  [['-p', 'x', 'contacts', 'list', '-o', 'jsonl'], { name: 7 }, 'crm schema contacts list'],
  [['auth', 'status', '-o=json'], STATUS, undefined],
  [['auth', 'status', '-o', 'json'], { ...STATUS, added: true }, 'must NOT have additional properties'],
  [['auth', 'status', '-o', 'json'], { ...STATUS, accepted: undefined }, "must have required property 'accepted'"],
  [['auth', 'status', '-o', 'json', '--fields', 'profile'], { profile: null }, undefined],
  [['config', 'set', 'base_url', 'x', '-o', 'json'], {}, 'there is no such schema'],
])('the output of %j is checked against its schema: %j', (args, value, wrong) => {
  const check = () => checkJsonOutput(args, { exit: 0, stdout: `${JSON.stringify(value)}\n`, stderr: '' })
  if (wrong === undefined) check()
  else expect(check).toThrow(wrong)
})

test('an error that its schema does not know fails, whatever the exit code', () => {
  const stderr = '{"error":{"code":"unheard_of"}}\n'
  expect(() => checkJsonOutput(['auth', 'token', '-o', 'json'], { exit: 4, stdout: '', stderr })).toThrow(
    'crm schema error',
  )
})
