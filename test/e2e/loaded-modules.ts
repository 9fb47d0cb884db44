import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Run } from '../harness/home.ts'
import { type Env, tempFolder } from '../harness/home.ts'
import { crm } from './crm.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Coverage {
  readonly result: readonly { readonly url: string }[]
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
    for (const { url } of result) {
      if (!url.startsWith('file:')) continue
      const chunk = relative(ROOT, fileURLToPath(url))
      for (const [input, { bytesInOutput }] of Object.entries(outputs[chunk]?.inputs ?? {})) {
        // Zero: the bundler found that nothing of it is used. `builtin:` and `stand-in:` stand for modules of Node itself.
        if (bytesInOutput > 0 && !/^(?:builtin|stand-in):/.test(input)) parts.add(partOf(input))
      }
    }
  }
  return [...parts].toSorted()
}

function partOf(input: string): string {
  const inPackage = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
  return inPackage ?? (/^src\/[^/]+/.exec(input)?.[0] || input)
}
