import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { crmEnv, ROOT } from './crm-process.ts'

/**
 * `npm run walks`: what a reader of the source has before them. For each walk of docs/architecture.md, the files of `src`
 * of which a function ran, as V8 counts it in processes that run the source itself; with `-- --files`, their names. Then the size of the tree.
 */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

const folder = mkdtempSync(join(tmpdir(), 'crm-walks-'))
const isWithFiles = process.argv.includes('--files')
// What the build puts in.
const preload = 'data:text/javascript,globalThis.CRM_VERSION="0.0.0"'

function start(walk: string, args: readonly string[]): ChildProcess {
  const coverage = join(folder, walk)
  mkdirSync(coverage, { recursive: true })
  const env = crmEnv({ HOME: folder, NODE_V8_COVERAGE: coverage, NODE_NO_WARNINGS: '1' })
  return spawn(process.execPath, ['--import', preload, join(ROOT, 'src/main.ts'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(walk: string, args: readonly string[]): Promise<void> {
  const child = start(walk, args)
  let said = ''
  child.stdout?.resume()
  child.stderr?.setEncoding('utf8').on('data', (text) => (said += text))
  const [exit] = await once(child, 'close')
  if (exit !== 0) throw new Error(`crm ${args.join(' ')} exited with ${exit}\n${said}`)
}

/** Resolves with each line that it prints in turn. */
function linesOf({ stdout, stderr, spawnargs }: ChildProcess): () => Promise<string> {
  if (!stdout) throw new Error('the child has no stdout')
  let said = ''
  stderr?.setEncoding('utf8').on('data', (text) => (said += text))
  const lines = createInterface(stdout)[Symbol.asyncIterator]()
  return async () => {
    const { done, value } = await lines.next()
    if (done) throw new Error(`${spawnargs.join(' ')} ended\n${said}`)
    return value
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

async function walk(): Promise<void> {
  const rows = join(folder, 'rows.csv')
  writeFileSync(rows, 'name,email\nAda,ada@crm.example\n')
  const serving = start('event: crm serve', ['serve', '--port', '0', '--ready-json', '--database', ':memory:'])
  const listening: ChildProcess[] = []
  try {
    await linesOf(serving)()
    await run('bulk write: crm contacts import', ['contacts', 'import', rows, '--yes'])
    await run('read: crm contacts list', ['contacts', 'list'])
    const listen = start('event: crm listen', ['listen', '--subscribe', '--port', '0', '-o', 'jsonl'])
    listening.push(listen)
    const nextLine = linesOf(listen)
    await nextLine()
    await run('event: crm contacts create', ['contacts', 'create', '--set', 'name=Hedy'])
    await nextLine()
  } finally {
    for (const child of [...listening, serving]) await end(child)
  }
}

/** Of modules that were loaded, those of which more than the top level ran. */
function filesRun(coverage: string): readonly string[] {
  const source = new URL('../src/', import.meta.url).href
  const results = readdirSync(coverage).flatMap(
    (name) => (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage).result,
  )
  const ran = results.filter(
    ({ url, functions }) => url.startsWith(source) && functions.slice(1).some(({ ranges }) => ranges[0]?.count),
  )
  return [...new Set(ran.map(({ url }) => url.slice(source.length)))].toSorted()
}

function printTree(): void {
  const source = join(ROOT, 'src')
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  const texts = new Map(names.map((name) => [name, readFileSync(join(source, name), 'utf8')]))
  const lines = [...texts.values()].map((text) => text.split('\n').length - 1).toSorted((one, other) => one - other)
  const at = (part: number) => lines[Math.floor((lines.length - 1) * part)]
  console.log(`files ${lines.length}, lines ${lines.reduce((sum, each) => sum + each, 0)}`)
  console.log(`lines of a file: median ${at(0.5)}, 90th percentile ${at(0.9)}, longest ${at(1)}`)
}

try {
  await walk()
  for (const name of readdirSync(folder).filter((each) => each.includes(': '))) {
    const files = filesRun(join(folder, name))
    console.log(`${name}: ${files.length} files`)
    if (isWithFiles) for (const file of files) console.log(`  ${file}`)
  }
  printTree()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
