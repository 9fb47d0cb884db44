import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { newKey, type Service } from '../harness/service.ts'
import { crmPrints } from './crm.ts'
import { test } from './shared-service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

async function isThere(service: Service, id: string): Promise<boolean> {
  return (await all(service, '/v1/contacts')).some((contact) => contact.id === id)
}

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('delete asks; n changes nothing and is 11, y deletes', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const refused = openTerminal(['contacts', 'delete', id], service.env)
    await refused.sees(/Delete contact .* for good\?/)
    refused.type('n')
    refused.press('Enter')
    expect(await refused.sees(/exit=\d+/)).toContain('exit=11')
    expect(await isThere(service, id)).toBe(true)

    const agreed = openTerminal(['contacts', 'delete', id], service.env)
    await agreed.sees(/\[y\/N\]/)
    agreed.type('y')
    agreed.press('Enter')
    expect(await agreed.sees(/exit=\d+/)).toContain('exit=0')
    expect(await isThere(service, id)).toBe(false)
  })

  test('Ctrl-C at the question is 130 and deletes nothing', async ({ service }) => {
    const [id = ''] = await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const terminal = openTerminal(['contacts', 'delete', id], service.env)
    await terminal.sees(/\[y\/N\]/)
    terminal.press('C-c')
    expect(await terminal.sees(/exit=\d+/)).toContain('exit=130')
    expect(await isThere(service, id)).toBe(true)
  })

  test('an import of deals that cannot be deleted wants their number typed on a protected profile', async ({
    service,
  }) => {
    const home = emptyHome()
    const login = ['auth', 'login', '--base-url', service.url, '--storage', 'file', '--key-stdin', '-p', 'prod']
    await crmPrints([...login, '--protected'], home, service.key)
    await crmPrints(['config', 'set', 'connector', 'contract', '-p', 'prod'], home)
    const file = join(home.HOME, 'deals.csv')
    writeFileSync(file, 'name,stage\nTyped,Lead\n')
    for (const [typed, exit] of [
      ['y', 'exit=11'],
      ['1', 'exit=0'],
    ] as const) {
      const terminal = openTerminal(['deals', 'import', file], home)
      await terminal.sees(/Type 1 to create 1 deal of the\s+protected/)
      terminal.type(typed)
      terminal.press('Enter')
      expect(await terminal.sees(/exit=\d+/)).toContain(exit)
    }
    expect((await all(service, '/v1/deals')).filter(({ name }) => name === 'Typed')).toHaveLength(1)
  })

  test('--no-input does not ask', async ({ service }) => {
    const terminal = openTerminal(['contacts', 'delete', 'con_x', '--no-input'], service.env)
    const screen = await terminal.sees(/exit=\d+/)
    expect(screen).toContain('exit=11')
    expect(screen).not.toContain('[y/N]')
  })

  test('auth login asks for the key without showing it, then for consent', async ({ service }) => {
    const home = emptyHome()
    const terminal = openTerminal(['auth', 'login', '--base-url', service.url], home)
    await terminal.sees('API key for')
    terminal.type(service.key)
    terminal.press('Enter')
    await terminal.sees(/private file [^?]*\?\s+\[y\/\s?N\]/)
    terminal.type('y')
    terminal.press('Enter')
    const screen = await terminal.sees(/exit=\d+/)
    expect(screen).toContain('exit=0')
    expect(screen.replaceAll('\n', '')).not.toContain(service.key.slice(8, 20))
    expect(await crmPrints(['auth', 'token'], home)).toBe(`${service.key}\n`)
  })

  test('a table fits 80 columns', async ({ service }) => {
    const long = {
      name: 'A name that is long, '.repeat(5),
      company: 'Gesellschaft '.repeat(9),
      email: `${newKey()}@x.test`,
    }
    await make(service, '/v1/contacts', [long, { name: '名前'.repeat(40) }])
    const terminal = openTerminal(['contacts', 'list', '--limit', '2'], service.env)
    const lines = (await terminal.sees(/exit=0/)).split('\n')
    const first = lines.findIndex((line) => line.startsWith('ID'))
    expect(lines.slice(first + 1, first + 3).every((line) => line.startsWith('con_'))).toBe(true)
    expect(lines[first + 3]).toMatch(/^(?:The first 2|exit=0|no room for )/i)
  })
})
