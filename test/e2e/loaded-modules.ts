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

export interface Loaded extends Run {
  /** Packages (`commander`) and modules (`src/api`) whose code was loaded, in alphabetical order. */
  readonly parts: readonly string[]
}

/** Runs a command and says what its process loaded: V8 names the files, the build what is in them. */
export async function loadedBy(args: readonly string[], env: Env): Promise<Loaded> {
  const folder = tempFolder()
  const run = await crm(args, { ...env, NODE_V8_COVERAGE: folder })
  return { ...run, parts: partsIn(folder) }
}

/** What the processes that wrote coverage to this folder loaded. */
export function partsIn(coverageFolder: string): readonly string[] {
  const modules = JSON.parse(readFileSync(join(ROOT, 'dist/modules.json'), 'utf8')) as Record<string, string[]>
  const parts = new Set<string>()
  for (const name of readdirSync(coverageFolder)) {
    const { result } = JSON.parse(readFileSync(join(coverageFolder, name), 'utf8')) as Coverage
    const files = result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => relative(ROOT, fileURLToPath(url)))
    for (const input of files.flatMap((file) => modules[file] ?? [])) parts.add(partOf(input))
  }
  return [...parts].toSorted()
}

function partOf(input: string): string {
  const inPackage = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
  return inPackage ?? (/^src\/[^/]+/.exec(input)?.[0] || input)
}
