import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { benchFolder, CRM, median, plainEnv, type Server, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'
import { type BenchTerminal, openBenchTerminal } from './terminal.ts'

const ROWS = 100_000
const DOWN = '\x1b[B'
const CURSOR = '❯'
const PAGE_DOWN = '\x1b[6~'
/** V8 returns the memory of its garbage once nothing was done for 8 s. */
const REST_MS = 15_000

/** Waiting times and cost of the screens in a terminal of 120 by 40. */
export async function measureBrowse(): Promise<Row[]> {
  const database = join(benchFolder(), 'contacts.db')
  await fillContacts(database, ROWS)
  const server = await startCrm(database)
  const env = browseEnv(server)
  const words = [process.execPath, CRM, 'browse', 'contacts']
  const rows = [await measureFirstFrame(words, env)]
  const terminal = openBenchTerminal(words, env)
  try {
    await terminal.frameWith('? help')
    await terminal.frameWith('1-35 of 500')
    rows.push(...(await measureIdle(terminal)), ...(await measureKeys(terminal, 'a first page')))
    rows.push(budget('memory with a page of rows and 200 keys', terminal.residentMib(), 160, 'MiB'))
    terminal.write('L')
    await terminal.frameWith('Load all contacts')
    terminal.write('y')
    // The unchanged part of a line is not sent again.
    await terminal.frameWith('100000')
    rows.push(
      ...(await measureKeys(terminal, '100,000 rows')),
      await measureHeldKey(terminal),
      ...(await measureScroll(terminal)),
      await measureFilter(terminal),
    )
    rows.push(budget('memory with 100,000 rows, after 260 keys and a filter', terminal.residentMib(), 160, 'MiB'))
    await delay(REST_MS)
    rows.push(budget('the same, 15 s later', terminal.residentMib(), 160, 'MiB'))
  } finally {
    terminal.end()
    await server.stop()
  }
  return rows
}

/** A profile with the largest page size of the server: 100,000 rows are 200 requests. */
export function browseEnv({ url, key }: Pick<Server, 'url' | 'key'>): NodeJS.ProcessEnv {
  const env = { ...plainEnv(), HOME: benchFolder(), CRM_PROFILE: 'bench', CRM_API_KEY: key }
  for (const [name, value] of [
    ['base_url', url],
    ['page_size', '500'],
  ]) {
    spawnSync(process.execPath, [CRM, 'config', 'set', name ?? '', value ?? '', '-p', 'bench'], {
      env: { ...env, CRM_API_KEY: '' },
    })
  }
  return env
}

export function budget(what: string, value: number, goal: number, unit: string): Row {
  const measured = `${value.toFixed(unit === 'ms' || unit === '%' ? 1 : 0)} ${unit}`
  return { what, measured, peer: `budget: ${goal} ${unit}`, ratio: value / goal, goal: { atMost: 1 } }
}

/** In turns with a bare node in the same terminal: the goal is 200 ms above it. */
async function measureFirstFrame(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Row> {
  const bare = [process.execPath, '-e', 'process.stdout.write("ready\\x1b[?2026l")']
  const [times, bareTimes]: [number[], number[]] = [[], []]
  for (let round = 0; round < 9; round++) {
    times.push(await timeUntil(words, env, '? help'))
    bareTimes.push(await timeUntil(bare, env, 'ready'))
  }
  const goalMs = median(bareTimes) + 200
  return {
    what: 'first frame of crm browse, median',
    measured: `${median(times).toFixed(0)} ms`,
    peer: `node -e 0 in the same terminal and 200 ms: ${goalMs.toFixed(0)} ms`,
    ratio: median(times) / goalMs,
    goal: { atMost: 1 },
  }
}

async function timeUntil(words: readonly string[], env: NodeJS.ProcessEnv, text: string): Promise<number> {
  const startedMs = performance.now()
  const terminal = openBenchTerminal(words, env)
  await terminal.frameWith(text)
  terminal.end()
  return performance.now() - startedMs
}

async function measureIdle(terminal: BenchTerminal): Promise<Row[]> {
  await delay(1000)
  const before = terminal.bytes()
  const cpuBefore = terminal.cpuSeconds()
  await delay(5000)
  const sent = terminal.bytes() - before
  const percent = ((terminal.cpuSeconds() - cpuBefore) / 5) * 100
  const idle: Row = {
    what: 'bytes while nothing happens, 5 s',
    measured: `${sent}`,
    peer: 'budget: 0',
    ratio: sent,
    goal: { atMost: 0 },
  }
  return [idle, budget('processor while nothing happens, 5 s', percent, 0.5, '%')]
}

async function measureKeys(terminal: BenchTerminal, among: string): Promise<Row[]> {
  const before = terminal.bytes()
  const keys = 200
  const sorted = await keyTimes(terminal, keys)
  return [
    budget(`key to frame, ${among}, median`, median(sorted), 10, 'ms'),
    budget(`key to frame, ${among}, 95 of 100`, sorted[Math.floor(keys * 0.95)] ?? 0, 16, 'ms'),
    budget(`bytes for a move of the cursor, ${among}`, (terminal.bytes() - before) / keys, 1024, 'B'),
  ]
}

/** In ms, the shortest first, until the frame that writes the cursor: others may be drawn meanwhile. */
async function keyTimes(terminal: BenchTerminal, keys: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let key = 0; key < keys; key++) {
    const startedMs = performance.now()
    const frame = terminal.nextFrame(CURSOR)
    terminal.write(key % 30 < 15 ? DOWN : '\x1b[A')
    await frame
    times.push(performance.now() - startedMs)
    // Otherwise the throttling of frames would be measured instead of the key.
    await delay(20)
  }
  return times.toSorted((one, other) => one - other)
}

async function measureHeldKey(terminal: BenchTerminal): Promise<Row> {
  const before = terminal.frames()
  const keys = 60
  for (let key = 0; key < keys; key++) {
    terminal.write(DOWN)
    await delay(33)
  }
  await delay(100)
  const drawn = terminal.frames() - before
  return {
    what: 'frames for 60 keys at 30 a second',
    measured: `${drawn}`,
    peer: '60 keys',
    ratio: drawn / keys,
    goal: { atLeast: 1 },
  }
}

async function measureScroll(terminal: BenchTerminal): Promise<Row[]> {
  const before = terminal.bytes()
  const pages = 50
  const times: number[] = []
  for (let page = 0; page < pages; page++) {
    const startedMs = performance.now()
    const frame = terminal.nextFrame()
    terminal.write(PAGE_DOWN)
    await frame
    times.push(performance.now() - startedMs)
    await delay(20)
  }
  const sorted = times.toSorted((one, other) => one - other)
  return [
    budget('a whole page, 95 of 100', sorted[Math.floor(pages * 0.95)] ?? 0, 25, 'ms'),
    budget('bytes for a page further', (terminal.bytes() - before) / pages, 5_500, 'B'),
  ]
}

async function measureFilter(terminal: BenchTerminal): Promise<Row> {
  terminal.write('/')
  await terminal.frameWith('Find:')
  const times: number[] = []
  for (const letter of 'company 4') {
    const startedMs = performance.now()
    const frame = terminal.nextFrame()
    terminal.write(letter)
    await frame
    times.push(performance.now() - startedMs)
    await delay(50)
  }
  // Esc followed directly by a key would be read as one.
  terminal.write('\x1b')
  await delay(300)
  return budget('letter of a filter to frame, 100,000 rows, median', median(times), 50, 'ms')
}
