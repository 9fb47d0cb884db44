import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JOINED } from '../../src/loader/bundle.ts'
import type { Run } from '../harness/home.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { crm } from './crm.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly FunctionCoverage[] }[]
}

interface FunctionCoverage {
  readonly functionName: string
  readonly ranges: readonly { readonly count: number }[]
}

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >
}

export interface Loaded extends Run {
  /** Packages (`commander`) and modules (`src/api`) whose code was loaded, in alphabetical order. */
  readonly parts: readonly string[]
}

/** Runs a command and says what its process loaded: V8 names the chunks, esbuild's metafile what is in them. */
export async function loadedBy(args: readonly string[], env: Env): Promise<Loaded> {
  const folder = tempFolder()
  const run = await crm(args, { ...env, NODE_V8_COVERAGE: folder })
  return { ...run, parts: partsIn(folder) }
}

/** What the processes that wrote coverage to this folder loaded. */
export function partsIn(coverageFolder: string): readonly string[] {
  const { outputs } = JSON.parse(readFileSync(join(ROOT, 'dist/meta.json'), 'utf8')) as Metafile
  const parts = new Set<string>()
  for (const name of readdirSync(coverageFolder)) {
    const { result } = JSON.parse(readFileSync(join(coverageFolder, name), 'utf8')) as Coverage
    for (const chunk of result.flatMap(chunksRun)) {
      for (const [input, { bytesInOutput }] of Object.entries(outputs[chunk]?.inputs ?? {})) {
        // Zero: the bundler found that nothing of it is used. `builtin:` and `stand-in:` stand for modules of Node itself.
        if (bytesInOutput > 0 && !/^(?:builtin|stand-in):/.test(input)) parts.add(partOf(input))
      }
    }
  }
  return [...parts].toSorted()
}

/** A file that joins chunks has each as a function with its name. */
function chunksRun({ url, functions }: Coverage['result'][number]): readonly string[] {
  if (!url.startsWith('file:')) return []
  const file = relative(ROOT, fileURLToPath(url))
  if (!Object.values(JOINED).some((name) => file === `dist/cli/${name}`)) return [file]
  const run = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
  return run.map(({ functionName }) => `dist/cli/${functionName}`)
}

function partOf(input: string): string {
  const inPackage = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
  return inPackage ?? (/^src\/[^/]+/.exec(input)?.[0] || input)
}
