import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { all, make } from '../harness/records.ts'
import { crmPrints } from './crm.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

/** Keeps what it was given, breaks the text the first time, and then saves a change of the kept one. */
const EDITOR = `#!/bin/sh
if [ -e "$HOME/first.yaml" ]; then
  cp "$1" "$HOME/second.yaml"
  sed 's/Ada/Ada Lovelace/' "$HOME/first.yaml" > "$1"
else
  cp "$1" "$HOME/first.yaml"
  echo 'name: [' > "$1"
fi
`

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('an error takes up to three lines at 80 columns with its remedy whole, and counts down', async () => {
    const server = createServer((_, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const terminal = openTerminal(['browse', 'contacts'], emptyHome({ CRM_BASE_URL: url, CRM_API_KEY: 'k' }))
    const lines = (await terminal.sees(' ! cannot list contacts')).split('\n')
    const from = lines.findIndex((line) => line.startsWith(' ! '))
    const seconds = Number(/ (\d) s *$/.exec(lines[from] ?? '')?.[1])
    expect(seconds).toBeGreaterThan(0)
    const message = lines.slice(from, from + 3).map((line) => line.trim())
    expect(message.join(' ')).toMatch(/answered 404; crm doctor +\d s shows the address in use, and what answers there/)
    await expect
      .poll(() => Number(/ ! cannot list.* (\d) s *$/m.exec(terminal.screen())?.[1] ?? 0), { timeout: 8_000 })
      .toBeLessThan(seconds)
  })

  test('E with a mistake opens what was typed, with the error as a comment, and then saves the correction', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada' }])
    const editor = join(service.env.HOME ?? '', 'editor')
    writeFileSync(editor, EDITOR, { mode: 0o755 })
    const terminal = openTerminal(['browse', 'contacts'], { ...service.env, EDITOR: editor })
    await terminal.sees('❯  Ada')
    terminal.type('E')
    await terminal.sees('Saved Ada Lovelace')
    expect(readFileSync(join(service.env.HOME ?? '', 'second.yaml'), 'utf8')).toMatch(
      /^# crm: .*\n(?:#.*\n)*name: \[\n/,
    )
    expect(await all(service, '/v1/contacts')).toMatchObject([{ name: 'Ada Lovelace' }])
  })

  test('~ before the text finds spread letters, slashes hold an expression, and both are of loaded rows', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada Lovelace' }, { name: 'Grace Hopper' }])
    const terminal = openTerminal(['browse', 'contacts'], service.env)
    await terminal.sees('1-2 of 2')
    for (const filter of ['~adlov', '/^ada .*e$/']) {
      terminal.type(`/${filter}`)
      terminal.press('Enter')
      const screen = await terminal.sees(`found for "${filter}"`)
      expect(screen).toContain('Ada Lovelace')
      expect(screen).not.toContain('Grace')
      terminal.press('Escape')
      await terminal.sees('1-2 of 2')
    }
  })

  test('a job shows its unchanged rows in a column', async () => {
    const service = await startService()
    await make(service, '/v1/contacts', [{ name: 'Ada', company: 'Acme' }])
    await crmPrints(['contacts', 'update', '--where', 'true', '--set', 'company=Acme', '--yes'], service.env)
    const terminal = openTerminal(['browse', 'jobs'], service.env, { columns: 140, rows: 24 })
    const screen = await terminal.sees('finished')
    expect(screen).toMatch(/STATE +DONE +UNCHANGED +ROWS/)
    expect(screen).toMatch(/finished +\d+ +1 +1/)
  })
})
