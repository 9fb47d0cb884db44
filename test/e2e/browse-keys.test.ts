import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import { make } from '../harness/records.ts'
import { CRM } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openProgram, openTerminal, type Terminal } from './terminal.ts'

const WIDE = { columns: 140, rows: 30 }

function settingsWith(env: Env, text: string): string {
  const folder = join(env.HOME ?? '', 'settings')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'browse.yaml')
  writeFileSync(path, text, { mode: 0o600 })
  return folder
}

async function browseWith(keys: string): Promise<Terminal> {
  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'Ada', email: 'ada@example.com' }])
  const env = { ...service.env, CRM_CONFIG_HOME: settingsWith(service.env, keys) }
  const terminal = openTerminal(['browse', 'contacts'], env, WIDE)
  await terminal.sees('❯  Ada')
  return terminal
}

const key = (output: string, command: string) =>
  `keys:\n  - key: P\n    screens: [contacts]\n    description: Look\n    output: ${output}\n    command: ${JSON.stringify(command)}\n`

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('y copies the id into tmux, and Ctrl-Y the value in the selected column', async () => {
    const service = await startService()
    const [id] = await make(service, '/v1/contacts', [{ name: 'Ada', email: 'ada@engines.example' }])
    // A key for a command of an earlier version.
    const folder = join(service.env.HOME, '.config/crm')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'browse.json'), '{"keys": {"commit": ["w"]}}', { mode: 0o600 })
    const terminal = openTerminal(['browse', 'contacts'], service.env, WIDE)
    await terminal.sees('❯  Ada')
    terminal.type('y')
    await terminal.sees(`✓ Copied ${id} to tmux`)
    expect(terminal.copied()).toBe(id)
    terminal.type('l')
    terminal.press('C-y')
    await terminal.sees('✓ Copied ada@engines.example to tmux')
    expect(terminal.copied()).toBe('ada@engines.example')
    // Digits open screens at once.
    terminal.type('2')
    await terminal.sees('[2 Deals]')
    terminal.press('M-1')
    await terminal.sees('❯  Ada')
  })

  test('a key of browse.yaml gets the record without the key of the server, and the help names it', async () => {
    const terminal = await browseWith(key('pane', 'cat; echo "key=${CRM_API_KEY-none}"'))
    terminal.type('?G')
    await terminal.sees(/P +Look \(browse\.yaml\)/)
    terminal.press('Escape')
    terminal.type('P')
    const screen = await terminal.sees('key=none')
    expect(screen).toContain('Look (exit 0)')
    expect(screen).toContain('"email":"ada@example.com"')
  })

  test('a command with the terminal is ended by Ctrl-C, and the screens are still there', async () => {
    const terminal = await browseWith(key('terminal', 'echo begins; sleep 60'))
    terminal.type('P')
    await terminal.sees('begins')
    expect(terminal.isOnAlternateScreen()).toBe(false)
    terminal.press('C-c')
    await terminal.sees('Look: SIGINT')
    expect(await terminal.sees('❯  Ada')).not.toContain('exit=')
    expect(terminal.isOnAlternateScreen()).toBe(true)
  })

  test('after a failure the terminal stays until Enter, so that its message can be read', async () => {
    const terminal = await browseWith(key('terminal', 'echo no such thing; exit 4'))
    terminal.type('P')
    expect(await terminal.sees('exit 4. Enter returns')).toContain('no such thing')
    terminal.press('Enter')
    await terminal.sees('Look: exit 4')
  })

  test('a mistake in browse.yaml is shown with its line and column, none of its keys works, and those of crm do', async () => {
    const terminal = await browseWith(
      'keys:\n  - key: d\n    screens: [contacts]\n    description: x\n    command: cat\n',
    )
    expect(await terminal.sees('browse.yaml:2:10')).toContain('d is a key of crm on contacts')
    terminal.type('?')
    await terminal.sees('Keys of Contacts')
  })

  test('browse.yaml of the working folder, where a repository may have put it, is not read', async () => {
    const env = emptyHome({ CRM_BASE_URL: 'http://127.0.0.1:9', CRM_API_KEY: 'k' })
    const folder = join(env.HOME, 'repository')
    mkdirSync(join(folder, '.crm'), { recursive: true })
    for (const place of ['', '.crm', '..']) {
      writeFileSync(join(folder, place, 'browse.yaml'), key('message', 'touch taken').replace('contacts', 'jobs'))
    }
    const terminal = openProgram(`cd '${folder}' && '${process.execPath}' '${CRM}' browse jobs; sleep 60`, env)
    await terminal.sees('? help')
    terminal.type('?G')
    await terminal.sees('Keys of Jobs')
    terminal.press('Escape')
    terminal.type('P')
    await terminal.sees('P is not bound here')
  })
})
