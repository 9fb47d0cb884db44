import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { misplaced } from '../test/sabotage/misplaced.ts'
import { type Sabotage, sabotaged } from '../test/sabotage/sabotage.ts'
import { chosenBy, SABOTAGES } from '../test/sabotage/sabotages.ts'

/**
 * `npm run sabotage [-- WORD...] [--workers N]`: makes one change at a time in a copy of the tree, and runs the tests that must
 * fail with it; exits with 1 if they pass, or if the line to change does not occur exactly once in its file. A word selects an
 * area (`jobs`), or every sabotage with the word in its name or file.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
/** A run that does not end counts as failed: a sabotage may make a loop endless. */
const LONGEST_RUN_MS = 240_000
/** Stops at the first failure. */
const BAIL = '--bail=1'
/** A sabotage may make a test wait for ever: shorter than the longest run. */
const TEST_TIMEOUT = '--testTimeout=45000'

const { values, positionals } = parseArgs({
  options: { workers: { type: 'string', default: String(Math.min(availableParallelism(), 4)) } },
  allowPositionals: true,
})
const chosen = SABOTAGES.filter((sabotage) => chosenBy(sabotage, positionals))
const unknown = positionals.filter((word) => !SABOTAGES.some((sabotage) => chosenBy(sabotage, [word])))
if (unknown.length > 0) throw new Error(`no sabotage is called ${unknown.join(' or ')}`)
const stray = misplaced(ROOT, chosen)
for (const { name, reason } of stray) console.log(`NO SUCH LINE: ${name}: ${reason}`)
const usable = chosen.filter(({ name }) => !stray.some((one) => one.name === name))

const startedMs = Date.now()
const folder = mkdtempSync(join(tmpdir(), 'crm-sabotage-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const copies = Array.from({ length: Math.max(1, Number(values.workers)) }, (_, at) =>
  copyTree(join(folder, String(at))),
)

for (const [project, group] of Map.groupBy(usable, projectOf)) {
  // Retried once: with this many tests at a time a busy machine exceeds the time limits of some.
  const tests = [...new Set(group.flatMap((each) => each.tests))]
  if (startBuilt(tests)) build(copies[0] ?? '')
  const sound = await runTests(copies[0] ?? '', tests, ['--project', project, '--retry=1'])
  if (sound.status !== 0) throw new Error(`the tests fail without any sabotage:\n${sound.output}`)
}
const queue = [...usable]
const missed: string[] = []
await Promise.all(copies.map(work))
const seconds = Math.round((Date.now() - startedMs) / 1000)
for (const name of missed) console.log(`missed: ${name}`)
console.log(`${usable.length - missed.length} of ${chosen.length} are noticed, in ${seconds} s`)
if (missed.length + stray.length > 0) process.exitCode = 1

/** What changes the store of PostgreSQL, or is seen by its tests alone, is run on it, and nothing else is. */
function projectOf({ file, tests }: Sabotage): string {
  return [file, ...tests].some((path) => path.includes('/postgres/')) ? 'postgres' : '!postgres'
}

/** Copies all files that git tracks or would add, and links the packages of this tree. */
function copyTree(copy: string): string {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' })
  for (const name of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    copyFileSync(join(ROOT, name), join(copy, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const judges = join('tools', 'judges', 'node_modules')
  if (existsSync(join(ROOT, judges))) symlinkSync(join(ROOT, judges), join(copy, judges))
  return copy
}

/** Whether a test starts what the build made. */
function startBuilt(tests: readonly string[]): boolean {
  return tests.some(
    (test) => test.startsWith('test/e2e/') || readFileSync(join(ROOT, test), 'utf8').includes("/e2e/crm.ts'"),
  )
}

function build(copy: string): void {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: copy })
}

async function work(copy: string): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (!(await isNoticed(copy, next))) missed.push(next.name)
  }
}

async function isNoticed(copy: string, sabotage: Sabotage): Promise<boolean> {
  const { name, file, tests } = sabotage
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, sabotaged(source, sabotage))
  try {
    if (startBuilt(tests)) build(copy)
    const { status, isLate, output, tookMs } = await runTests(copy, tests, [
      '--project',
      projectOf(sabotage),
      BAIL,
      TEST_TIMEOUT,
    ])
    // A change that breaks the syntax also fails, and proves nothing.
    const hasRun = isLate || /Tests .*[1-9]\d* failed/.test(output)
    const noticed = isLate ? 'noticed, without an end' : 'noticed'
    const verdict = status === 0 ? 'NOT NOTICED' : hasRun ? noticed : `BROKEN\n${output}`
    console.log(`${verdict}: ${name} (${(tookMs / 1000).toFixed(1)} s)`)
    return status !== 0 && hasRun
  } finally {
    writeFileSync(path, source)
  }
}

interface Run {
  /** Null after a signal. */
  readonly status: number | null
  /** It was ended after the longest time. Vitest may still end with a status then. */
  readonly isLate: boolean
  readonly output: string
  readonly tookMs: number
}

function runTests(cwd: string, tests: readonly string[], flags: readonly string[]): Promise<Run> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', CRM_TEST_CASES: 'all' }
  const beganMs = Date.now()
  const timeout = flags.includes(BAIL) ? LONGEST_RUN_MS : 0
  // Not in node_modules, which all copies share.
  const cache = `--fsModuleCachePath=${join(cwd, '.vitest-cache')}`
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [VITEST, 'run', cache, ...flags, ...tests], { cwd, env, timeout })
    let output = ''
    for (const stream of [run.stdout, run.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    run.on('error', reject)
    run.on('close', (status) => {
      const tookMs = Date.now() - beganMs
      resolve({ status, isLate: timeout > 0 && tookMs >= timeout, output, tookMs })
    })
  })
}
