import { fileURLToPath } from 'node:url'
import { rehearse } from './rehearse.ts'

const FIXTURES = fileURLToPath(new URL('../examples/fixtures.yaml', import.meta.url))

/** The most common commands; each run compiles what the earlier ones did not. */
const COMMON = [
  ['contacts', 'list', '-o', 'json'],
  ['contacts', 'list'],
  ['contacts', 'create', '--set', 'name=Ada', '-o', 'id', '-q'],
  ['contacts', '--help'],
  ['__complete', 'fish', 'contacts', 'list', '--fields', ''],
  ['sandbox', 'run', '--seed', FIXTURES, '--', process.execPath, '-e', '0'],
  ['browse'],
]

/** Stores the code that V8 compiles while the chunks run, for `src/chunk-loader.ts`. */
export async function compileChunks(folder: string): Promise<void> {
  await rehearse(folder, COMMON)
}
