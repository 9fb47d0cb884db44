import { expect, test } from 'vitest'
import { parseSettingKey, SETTINGS, type SettingKey } from '../../src/settings/setting.ts'

test.each<[SettingKey, string, unknown]>([
  ['base_url', 'https://a.example/', 'https://a.example'],
  ['base_url', 'HTTPS://A.example:443/crm/', 'https://a.example/crm'],
  ['protected', 'true', true],
  ['insecure_http', 'false', false],
  ['key_command', "op read 'op://vault/crm key'", "op read 'op://vault/crm key'"],
  ['key_command', '/usr/bin/pass show crm', '/usr/bin/pass show crm'],
  ['key_command', '', null],
  ['wire.page_size', '1', 1],
  ['wire.page_size', '1000', 1000],
  ['wire.idempotency_header', 'X-Request-Key', 'X-Request-Key'],
  ['wire.limit_param', 'page[size]', 'page[size]'],
  ['wire.limit_param', 'none', 'none'],
  ['wire.cursor_param', '_cursor', '_cursor'],
  ['wire.cursor_param', '', null],
  ['wire.items_path', 'data.contacts', 'data.contacts'],
  ['wire.items_path', '', null],
  ['wire.next_path', '@odata.nextLink', '@odata.nextLink'],
  ['wire.next_path', '', null],
])('%s reads %j as %j', (key, text, value) => {
  expect(SETTINGS[key].parse(text, key)).toBe(value)
})

test.each<[SettingKey, string]>([
  ['base_url', 'a.example'],
  ['base_url', 'https://user:pw@a.example'],
  ['protected', 'yes'],
  ['protected', ''],
  // A relative path could name a program in a repository.
  ['key_command', './pass show crm'],
  ['key_command', 'bin/pass'],
  ['wire.page_size', '0'],
  ['wire.page_size', '1001'],
  ['wire.page_size', '1e2'],
  ['wire.page_size', ' 5'],
  ['wire.idempotency_header', ''],
  ['wire.idempotency_header', 'a b'],
  ['wire.idempotency_header', 'a\r\nb'],
  ['wire.idempotency_header', 'authorization'],
  ['wire.idempotency_header', 'Content-Length'],
  ['wire.idempotency_header', 'proxy-authorization'],
  ['wire.idempotency_header', 'Expect'],
  ['wire.limit_param', ''],
  ['wire.limit_param', 'a&b'],
  ['wire.cursor_param', 'a b'],
  ['wire.items_path', 'data..contacts'],
  ['wire.next_path', '.'],
])('%s rejects %j and names both', (key, text) => {
  expect(() => SETTINGS[key].parse(text, key)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  expect(() => SETTINGS[key].parse(text, key)).toThrow(key)
})

test('an unknown setting is answered with the known ones', () => {
  expect(parseSettingKey('wire.page_size')).toBe('wire.page_size')
  for (const text of ['page_size', 'toString', '']) {
    expect(() => parseSettingKey(text)).toThrow(/there is no setting ".*", expected base_url, protected, /)
  }
})
