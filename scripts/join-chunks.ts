import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiledFolder, JOINED } from '../src/loader/bundle.ts'
import { rehearse } from './rehearse.ts'

const TAB = [['__complete', 'fish', 'contacts', 'list', '--fields', '']]

const WITHOUT_REQUEST = [['config', 'path']]

const SINGLE_REQUESTS = [
  ['contacts', 'list', '-o', 'json'],
  ['contacts', 'list'],
  ['contacts', 'create', '--set', 'name=Ada', '-o', 'id', '-q'],
]

/** A module as a function. In parentheses, because V8 then compiles it at once: it runs in any case. */
export function asFunction(code: string): string {
  return `(function(exports,require,module,__filename,__dirname){${code}})`
}

/** Moves the chunks that every command and single requests load into a file each, and copies those of a Tab into another. */
export async function joinChunks(folder: string): Promise<void> {
  for (const file of Object.values(JOINED)) writeFileSync(join(folder, file), '({})\n')
  const tab = await chunksLoadedBy(folder, TAB)
  const program = await chunksLoadedBy(folder, WITHOUT_REQUEST)
  const requests = await chunksLoadedBy(folder, SINGLE_REQUESTS)
  const shared = requests.filter((name) => program.includes(name))
  const others = requests.filter((name) => !program.includes(name))
  const write = (file: string, all: readonly Member[]) => writeFileSync(join(folder, file), objectOf(all))
  write(JOINED.requests, members(folder, others))
  write(JOINED.program, [...places(others, JOINED.requests), ...members(folder, shared)])
  // Of members with the same name, the last counts.
  write(JOINED.tab, [...places(others, JOINED.requests), ...places(shared, JOINED.program), ...members(folder, tab)])
  for (const name of requests) rmSync(join(folder, name))
}

async function chunksLoadedBy(folder: string, commands: readonly (readonly string[])[]): Promise<readonly string[]> {
  await rehearse(folder, commands)
  const compiled = compiledFolder(folder, process)
  const loaded = new Set(readdirSync(compiled))
  rmSync(compiled, { recursive: true })
  const chunks = readdirSync(join(folder, 'chunks')).filter((name) => loaded.has(name))
  return chunks.toSorted().map((name) => `chunks/${name}`)
}

type Member = readonly [name: string, code: string]

function members(folder: string, names: readonly string[]): readonly Member[] {
  return names.map((name) => [name, readFileSync(join(folder, name), 'latin1')])
}

function places(names: readonly string[], file: string): readonly Member[] {
  return names.map((name) => [name, JSON.stringify(file)])
}

function objectOf(all: readonly Member[]): string {
  return `({\n${all.map(([name, code]) => `${JSON.stringify(name)}:${code}`).join(',\n')}\n})\n`
}
