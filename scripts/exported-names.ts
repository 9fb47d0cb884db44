import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './import-rules.ts'

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const enum|const|let|class|interface|type|enum) (\w+)/gm

/** What both databases do has one name in each. */
const DATABASES = ['src/service/store/sqlite/', 'src/service/store/postgres/']

/** What users of the Node library see has their words: a `Page` and a `Stage` of theirs have fewer parts. */
const LIBRARY = ['calls', 'client-types', 'records', 'resources'].map((name) => `src/library/${name}.ts`)

/** Names that files of src export twice: one word stands for one idea, and one idea has one place. */
export function doubledNames(root: string): readonly Fault[] {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).sort()
  const declared = files.flatMap((file) => namesIn(root, file).map((name) => ({ file, name })))
  const byName = Map.groupBy(declared, ({ name }) => name)
  return [...byName].flatMap(([name, all]) => {
    const places = all.map(({ file }) => file).filter((file) => !LIBRARY.includes(file))
    const [first = ''] = places
    return places.length < 2 || areOfDatabases(places)
      ? []
      : [{ file: first, fault: `exports ${name}, as does ${places.slice(1).join(', ')}: one word for one idea` }]
  })
}

/** Overloads are one declaration. */
function namesIn(root: string, file: string): readonly string[] {
  const found = readFileSync(join(root, file), 'utf8').matchAll(DECLARATION)
  return [...new Set(Array.from(found, ([, name = '']) => name))]
}

function areOfDatabases(places: readonly string[]): boolean {
  const folders = places.map((file) => DATABASES.find((folder) => file.startsWith(folder)))
  return !folders.includes(undefined) && new Set(folders).size === places.length
}
