import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { make } from '../harness/records.ts'
import { startService } from './service.ts'
import { HAS_TMUX, openProgram } from './terminal.ts'

/** What CONTRIBUTING.md says of a column, a key and a screen, done in a copy of the source tree: nothing else is changed. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = ['node_modules', 'dist', '.git', '.crm']
const RECIPES = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

/** The code of the page that begins with this. */
function codeOf(begin: string): string {
  const from = RECIPES.indexOf(begin)
  if (from < 0) throw new Error(`CONTRIBUTING.md has no ${begin}`)
  return RECIPES.slice(from, RECIPES.indexOf('`', from))
}

test.skipIf(!HAS_TMUX)('a column, a key and a screen are the lines that CONTRIBUTING.md names', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'crm-copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(ROOT, copy, { recursive: true, filter: (from) => !LEFT_OUT.includes(basename(from)) })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const add = (path: string, before: string, line: string) => {
    const text = readFileSync(join(copy, path), 'utf8')
    expect(text.split(before)).toHaveLength(2)
    writeFileSync(join(copy, path), text.replace(before, `${line}\n${before}`))
  }
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
    expect(status).toBe(0)
  }
  add(
    'src/ui/screens/records.tsx',
    "    { name: 'company', head: 'COMPANY'",
    `    ${codeOf("{ name: 'updated_at', head: 'CHANGED'")}`,
  )
  writeFileSync(join(copy, 'src/ui/actions/hello.ts'), `${codeOf("import type { Action } from '../ui.ts'")}\n`)
  add('src/ui/actions/all-actions.ts', "import { JOBS } from './jobs.ts'", "import { HELLO } from './hello.ts'")
  add('src/ui/actions/all-actions.ts', '  ...HISTORY,', '  ...HELLO,')
  writeFileSync(join(copy, 'src/ui/screens/calendar.tsx'), `${codeOf("import { Text } from 'ink'")}\n`)
  add('src/ui/screens/all-screens.tsx', 'import { eventsScreen }', "import { calendarScreen } from './calendar.tsx'")
  add('src/ui/screens/all-screens.tsx', '  log: logScreen,', '  calendar: calendarScreen,')
  const screens = readFileSync(join(copy, 'src/core/browse-screens.ts'), 'utf8')
  writeFileSync(join(copy, 'src/core/browse-screens.ts'), screens.replace("'webhooks']", "'webhooks', 'calendar']"))
  run('node_modules/typescript/bin/tsc')
  run('scripts/objects.ts')
  run('scripts/build.ts')

  const service = await startService()
  await make(service, '/v1/contacts', [{ name: 'Ada' }])
  const terminal = openProgram(`${process.execPath} ${join(copy, 'bin/crm.js')} browse contacts; sleep 60`, service.env)
  await terminal.sees(/CHANGED.*\n❯ {2}Ada.*\d\d:\d\d:\d\d.*\d\d:\d\d:\d\d/)
  terminal.type('H')
  await terminal.sees('✓ Hello, Ada')
  terminal.type(':hello')
  await terminal.sees(/❯ {2}H +Greet the contact/)
  terminal.press('Escape')
  terminal.type('7')
  await terminal.sees(/\[7 Calendar\][\s\S]*Nothing today/)
})
