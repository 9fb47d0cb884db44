import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { countOf, type Sabotage } from './sabotage.ts'

/** Those whose lines do not stand exactly once in their file, with the files where they stand now: sources get moved. */
export function misplaced(root: string, sabotages: readonly Sabotage[]) {
  let sources: readonly (readonly [string, string])[] | undefined
  return sabotages.flatMap(({ name, file, line }) => {
    const count = countOf(textOf(join(root, file)), line)
    if (count === 1) return []
    sources ??= globSync('src/**/*.{ts,tsx}', { cwd: root }).map((path) => [path, textOf(join(root, path))] as const)
    const places = sources.filter(([, text]) => countOf(text, line) === 1).map(([path]) => path)
    const now = places.length === 0 ? 'in no source' : `in ${places.join(', ')}`
    return [{ name, reason: `it stands ${count} times in ${file}, once ${now}: ${line}` }]
  })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
