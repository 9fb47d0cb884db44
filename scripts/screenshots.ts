import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT } from './crm-process.ts'
import { bulkSteps, STEPS_SIZE } from './screenshots/bulk-steps.ts'
import { loadDemo, subscribe, tried } from './screenshots/demo-data.ts'
import { type Background, screenSvg, stepsSvg } from './screenshots/screen-svg.ts'
import { openTmux, type Size } from './screenshots/tmux-screen.ts'

/**
 * `npm run screenshots [-- WORD...]`: takes the pictures in docs/screens from the built program in tmux, with data of its own. A word
 * selects the pictures whose name contains it.
 */
const CRM = join(ROOT, 'bin/crm.js')
const SCREENS = join(ROOT, 'docs/screens')

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
]

const AT_ONCE = 3

/** The pictures show it. */
const FAILING_PORT = 4244

const BACKGROUNDS: readonly Background[] = ['dark', 'light']

interface Shot {
  readonly name: string
  readonly screen: string
  /** Keys by their names in tmux. */
  readonly keys: readonly string[]
  /** The text that shows that the screen is ready. */
  readonly sees: string
  /** Its edits are kept when the terminal is closed, and would be in other pictures. */
  readonly hasOwnState?: true
}

const SHOTS: readonly Shot[] = [
  { name: 'home', screen: 'home', keys: [], sees: '% of the deals at the stage before' },
  { name: 'contacts', screen: 'contacts', keys: ['Space', 'j', 'Space', 'j'], sees: '2 marked' },
  { name: 'detail', screen: 'contacts', keys: ['j', 'j', 'j', 'Enter'], sees: 'created_at' },
  { name: 'deals', screen: 'deals', keys: ['l', 's', 's'], sees: 'sorted by amount ↓' },
  { name: 'pipelines', screen: 'pipelines', keys: ['l', 'j', 'j', 'j'], sees: '❯ Qualified' },
  { name: 'events', screen: 'events', keys: ['j', 'j'], sees: '.created' },
  { name: 'jobs', screen: 'jobs', keys: [], sees: 'finished' },
  { name: 'webhooks', screen: 'webhooks', keys: ['Enter'], sees: 'deal.created' },
  {
    name: 'command-log',
    screen: 'deals',
    keys: ['a', 'Asked for the signed offer', 'Enter', 'j', 'a', 'Sent the invoice', 'Enter', '@'],
    sees: 'Sent the invoice',
  },
  { name: 'help', screen: 'contacts', keys: ['?'], sees: 'Keys of Contacts' },
  { name: 'form', screen: 'contacts', keys: ['e'], sees: 'Ctrl-S saves' },
  {
    name: 'plan',
    screen: 'contacts',
    keys: ['12', 'Space', 'b', 'company=Acme', 'Enter', 'w'],
    sees: '❯[Cancel]',
    hasOwnState: true,
  },
  { name: 'delete', screen: 'contacts', keys: ['d'], sees: '❯[Cancel]' },
  { name: 'commands', screen: 'deals', keys: [':', 'contacts comp'], sees: 'company=' },
]

const words = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'crm-screens-'))
mkdirSync(join(home, 'bin'))
symlinkSync(CRM, join(home, 'bin/crm'))
const env = {
  HOME: home,
  PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
}
const start = (...args: string[]) =>
  spawn(process.execPath, [CRM, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
const service = start('serve', '--database', ':memory:', '--port', '4243', '--rate-limit', 'none')
const children = [service]
const receivers: Server[] = []
try {
  await once(service.stderr, 'data')
  await delay(500)
  const listener = start('listen', '-p', 'local')
  children.push(listener)
  await once(listener.stderr, 'data')
  await delay(1_500)
  const failing = await openFailing()
  receivers.push(failing)
  await subscribe(`http://127.0.0.1:${FAILING_PORT}/orders`, home, env)
  await loadDemo(home, env)
  await tried(home, env)
  await takeAll()
} finally {
  for (const child of children) child.kill()
  for (const receiver of receivers) receiver.close()
  rmSync(home, { recursive: true, force: true })
}

/** Its deliveries fail, which the Webhooks screen shows. */
async function openFailing(): Promise<Server> {
  const server = createServer((_, response) => void response.writeHead(503).end('busy'))
  await once(server.listen(FAILING_PORT, '127.0.0.1'), 'listening')
  return server
}

async function takeAll(): Promise<void> {
  const all = SHOTS.flatMap((shot) =>
    SIZES.flatMap((size) => BACKGROUNDS.map((background) => ({ shot, size, background }))),
  )
  await Promise.all(Array.from({ length: AT_ONCE }, () => takeFrom(all)))
  if (!isChosen('bulk')) return
  const steps = await bulkSteps(home, env)
  keep('bulk', stepsSvg({ ...describe('plan, kill, resume, undo', STEPS_SIZE), background: 'dark' }, steps))
}

interface Wanted {
  readonly shot: Shot
  readonly size: Size
  readonly background: Background
}

async function takeFrom(queue: Wanted[]): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { shot, size, background } = next
    const name = `${shot.name}-${size.columns}x${size.rows}-${background}`
    if (!isChosen(name)) continue
    const picture = await take(name, next)
    keep(name, screenSvg({ ...describe(shot.name, size), background }, picture))
  }
}

function isChosen(name: string): boolean {
  return words.length === 0 || words.some((word) => name.includes(word))
}

function describe(what: string, { columns }: Size) {
  return { title: `crm: ${what}`, columns }
}

function keep(name: string, svg: string): void {
  writeFileSync(join(SCREENS, `${name}.svg`), svg)
  console.log(`docs/screens/${name}.svg`)
}

async function take(name: string, { shot, size, background }: Wanted): Promise<string> {
  const { screen, keys, sees, hasOwnState } = shot
  const command = [process.execPath, CRM, 'browse', screen, '-p', 'local'].join(' ')
  // Settings of its own: the state of the screens is remembered.
  const own = {
    CRM_CONFIG_HOME: join(home, `config-${name}`),
    ...(hasOwnState && { CRM_STATE_HOME: join(home, `state-${name}`) }),
  }
  cpSync(join(home, '.config/crm'), own.CRM_CONFIG_HOME, { recursive: true })
  // COLORFGBG tells the background where the terminal does not answer.
  const terminal = openTmux(name, command, size, { ...env, ...own, COLORFGBG: background === 'dark' ? '15;0' : '0;15' })
  try {
    await terminal.sees('? help')
    await terminal.sees(screen === 'home' ? 'Home' : '❯')
    for (const key of keys) {
      terminal.press(key)
      await delay(60)
    }
    await terminal.sees(sees)
    // Messages and counts follow the first frame.
    await delay(250)
    return terminal.picture()
  } finally {
    terminal.close()
  }
}
