import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFolder, JOINED } from '../src/loader/bundle.ts'
import { SINGLE_REQUESTS, TAB, WITHOUT_REQUEST } from './join-chunks.ts'
import { rehearse } from './rehearse.ts'

const FIXTURES = fileURLToPath(new URL('../examples/fixtures.yaml', import.meta.url))

/** Common commands that load many chunks besides. */
const OTHERS = [['sandbox', 'run', '--seed', FIXTURES, '--', process.execPath, '-e', '0'], ['browse']]

/**
 * Stores the code that V8 compiles while the chunks run, for `src/chunk-loader.ts`; each run compiles what the earlier ones did not. That
 * of the joined files is only of the commands that they are for: V8 reads all of it.
 */
export async function compileChunks(folder: string): Promise<void> {
  await rehearse(folder, OTHERS)
  for (const file of Object.values(JOINED)) rmSync(join(compiledFolder(folder, process), file), { force: true })
  await rehearse(folder, [...SINGLE_REQUESTS, ...WITHOUT_REQUEST, ...TAB])
}
