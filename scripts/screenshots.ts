import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { crmOrThrow, ROOT } from './crm-process.ts'
import { type Step, screenSvg, stepsSvg } from './screenshots/screen-svg.ts'
import { openTmux, type Size } from './screenshots/tmux-screen.ts'

/** `npm run screenshots [-- home]`: takes the pictures in docs/screens, or one, from the built program in tmux, with data of its own. */
const CRM = join(ROOT, 'bin/crm.js')

const PORT = '4243'
const only = process.argv[2]

interface Shot {
  readonly name: string
  readonly screen: string
  /** Keys by their names in tmux. */
  readonly keys: readonly string[]
  /** The text that shows that the screen is ready. */
  readonly sees: string
}

const SHOTS: readonly Shot[] = [
  { name: 'detail', screen: 'contacts', keys: ['j', 'j', 'j', 'Enter'], sees: 'created_at' },
  { name: 'home', screen: 'home', keys: [], sees: 'Last jobs' },
  { name: 'pipelines', screen: 'pipelines', keys: ['l', 'j', 'j', 'j'], sees: '❯ Qualified' },
]
const SHOT_SIZE: Size = { columns: 120, rows: 40 }
const STEPS_SIZE: Size = { columns: 100, rows: 26 }

const home = mkdtempSync(join(tmpdir(), 'crm-screens-'))
mkdirSync(join(home, 'bin'))
symlinkSync(CRM, join(home, 'bin/crm'))
const env = {
  HOME: home,
  PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  CRM_PROFILE: 'local',
  // Tells the background where the terminal does not answer.
  COLORFGBG: '15;0',
}
const serve = [CRM, 'serve', '--database', ':memory:', '--port', PORT, '--rate-limit', 'none']
const service = spawn(process.execPath, serve, { env, stdio: ['ignore', 'ignore', 'pipe'] })
try {
  await once(service.stderr, 'data')
  await delay(500)
  await loadDemo()
  for (const shot of SHOTS.filter(({ name }) => !only || name === only))
    keep(`${shot.name}-120x40-dark`, screenSvg(sized(shot.name, SHOT_SIZE), await take(shot)))
  if (!only || only === 'bulk') keep('bulk', stepsSvg(sized('plan, kill, resume, undo', STEPS_SIZE), await bulkSteps()))
} finally {
  service.kill()
  rmSync(home, { recursive: true, force: true })
}

function sized(what: string, { columns }: Size) {
  return { title: `crm: ${what}`, columns }
}

function keep(name: string, svg: string): void {
  writeFileSync(join(ROOT, 'docs/screens', `${name}.svg`), svg)
  console.log(`docs/screens/${name}.svg`)
}

async function take({ name, screen, keys, sees }: Shot): Promise<string> {
  const terminal = openTmux(name, `${process.execPath} ${CRM} browse ${screen}`, SHOT_SIZE, env)
  try {
    await terminal.sees('? help')
    if (keys.length > 0) await terminal.sees('❯')
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

/** 400 contacts and 120 deals, the same in each run, by two jobs. */
async function loadDemo(): Promise<void> {
  const first = 'Ada Grace Alan Edsger Barbara Donald Margaret Ken Dennis Katherine Radia Tim Linus Frances'.split(' ')
  const last =
    'Lovelace Hopper Turing Dijkstra Liskov Knuth Hamilton Thompson Ritchie Johnson Perlman Allen Lamarr'.split(' ')
  const companies = ['Acme GmbH', 'Analytical Engines', 'Navy Systems', 'Bletchley Ltd', 'Orbit AG', 'Kranich & Söhne']
  const stages = ['Lead', 'Lead', 'Qualified', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']
  const work = ['renewal', 'licences', 'support', 'migration', 'audit']
  const at = (values: readonly string[], index: number) => values[index % values.length]
  const contacts = Array.from({ length: 400 }, (_, n) => {
    const [given, family] = [at(first, n * 7 + (n >> 3)), at(last, n * 5 + (n >> 2))]
    const email = `${given}.${family}${n}@${n % 3 ? 'example.com' : 'mail.example.org'}`.toLowerCase()
    return `${given} ${family},${email},+49 30 ${100_000 + n * 37},${at(companies, n * 11)}`
  })
  const deals = Array.from({ length: 120 }, (_, n) => {
    const amount = (900 + ((n * 7_919) % 88_000) + n / 4).toFixed(2)
    return `${at(companies, n * 5)}: ${at(work, n * 3)} ${n},${at(stages, n * 3 + (n >> 4))},${amount},EUR,sales`
  })
  await load('contacts', 'name,email,phone,company', contacts)
  await load('deals', 'name,stage,amount,currency,pipeline_id', deals)
}

async function load(noun: string, header: string, rows: readonly string[]): Promise<void> {
  writeFileSync(join(home, `${noun}.csv`), [header, ...rows, ''].join('\n'))
  await crmOrThrow([noun, 'import', `${noun}.csv`, '--yes'], { env, cwd: home })
}

/** Import, kill, the same command again, undo: each is what a shell shows after a real command. */
async function bulkSteps(): Promise<readonly Step[]> {
  const rows = Array.from({ length: 20_000 }, (_, n) => `Person ${n},person${n}@example.com,Company ${n % 500}`)
  writeFileSync(join(home, 'people.csv'), ['name,email,company', ...rows, ''].join('\n'))
  const screen = openTmux('steps', `env PS1='$ ' bash --norc --noprofile -i`, STEPS_SIZE, env)
  const steps: Step[] = []
  const show = (seconds = 4) => void steps.push({ text: screen.picture(), seconds })
  const command = async (text: string, sees: string) => {
    // In a line of its own, so that the picture shows the command.
    screen.type('clear')
    screen.press('Enter')
    await delay(500)
    screen.type(text)
    screen.press('Enter')
    await screen.sees(sees)
  }
  try {
    screen.type(`cd ${home}; clear`)
    screen.press('Enter')
    await command('crm contacts import people.csv', ' of 20,000')
    // After the first rows were sent.
    await delay(1_500)
    show(2)
    screen.killRunning()
    await screen.sees('Killed')
    show()
    await command('crm contacts import people.csv', 'unsent')
    await delay(1_000)
    show()
    await command('crm jobs undo $(crm jobs list -o id --limit 1) --yes', 'unsent')
    await delay(1_000)
    show()
    return steps
  } finally {
    screen.close()
  }
}
