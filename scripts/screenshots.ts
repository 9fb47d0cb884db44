import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from './crm-process.ts'
import { loadExamples } from './load-examples.ts'
import { screenSvg } from './screen-svg.ts'

/**
 * `node scripts/screenshots.ts`: takes the pictures of docs/browse.md from the built program in tmux with the example data.
 */
const CRM = join(ROOT, 'bin/crm.js')
const COLUMNS = 120
const ROWS = 30

interface Shot {
  readonly name: string
  readonly args: readonly string[]
  /** Keys by their names in tmux. */
  readonly keys: readonly string[]
  /** The text that shows that the screen is ready. */
  readonly sees: string
}

const SHOTS: readonly Shot[] = [
  { name: 'contacts', args: ['contacts'], keys: ['Space', 'j', 'Space', 'j', 'Enter'], sees: '2 marked' },
  { name: 'deals', args: ['deals'], keys: ['l', 's', 's'], sees: 'sorted by amount ↓' },
  { name: 'pipelines', args: ['pipelines'], keys: ['l'], sees: '❯ Qualified' },
  { name: 'help', args: ['contacts'], keys: ['?'], sees: 'Keys of Contacts' },
  { name: 'form', args: ['contacts'], keys: ['e'], sees: 'Ctrl-S saves' },
  { name: 'delete', args: ['contacts'], keys: ['d'], sees: '❯[Cancel]' },
]

const home = mkdtempSync(join(tmpdir(), 'crm-screens-'))
const env = { HOME: home, PATH: process.env.PATH ?? '', TERM: 'xterm-256color' }
const service = spawn(process.execPath, [CRM, 'serve', '--database', ':memory:', '--port', '4243'], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
})
try {
  await once(service.stderr, 'data')
  await delay(500)
  await loadExamples({ ...env, CRM_PROFILE: 'local' })
  for (const shot of SHOTS) {
    writeFileSync(
      join(ROOT, `docs/screens/${shot.name}.svg`),
      screenSvg(`crm browse: ${shot.name}`, await take(shot), COLUMNS),
    )
    console.log(`docs/screens/${shot.name}.svg`)
  }
} finally {
  service.kill()
  rmSync(home, { recursive: true, force: true })
}

async function take({ name, args, keys, sees }: Shot): Promise<string> {
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-L', `crm-shot-${process.pid}`, '-f', '/dev/null', ...words], { encoding: 'utf8', env })
  const command = [process.execPath, CRM, 'browse', ...args, '-p', 'local'].join(' ')
  tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), '-s', 'crm', command)
  const waitFor = async (text: string) => {
    for (let tries = 0; tries < 100; tries++) {
      if (tmux('capture-pane', '-p', '-t', 'crm').stdout.includes(text)) return
      await delay(100)
    }
    throw new Error(`${name}: ${text} does not appear on the screen`)
  }
  try {
    await waitFor('? help')
    await waitFor('❯')
    for (const key of keys) tmux('send-keys', '-t', 'crm', key)
    await waitFor(sees)
    return tmux('capture-pane', '-e', '-p', '-t', 'crm').stdout
  } finally {
    tmux('kill-server')
  }
}
