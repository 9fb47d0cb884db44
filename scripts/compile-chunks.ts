import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFolder, JOINED } from '../src/loader/bundle.ts'
import { SINGLE_REQUESTS, TAB, WITHOUT_REQUEST } from './join-chunks.ts'
import { asRehearsal, rehearse } from './rehearse.ts'

const FIXTURES = fileURLToPath(new URL('../examples/fixtures.yaml', import.meta.url))

const IN_SANDBOX = ['sandbox', 'run', '--seed', FIXTURES, '--', process.execPath]

/** Common commands that load many chunks besides. Jobs need a server that keeps what they send. */
function others(folder: string): readonly (readonly string[])[] {
  const jobs = [
    ['fixtures', 'apply', FIXTURES, '--run-id', 'rehearsal'],
    ['contacts', 'update', '--where', 'true', '--set', 'company=Crm', '--yes'],
  ]
  return [...jobs.map((job) => [...IN_SANDBOX, ...asRehearsal(folder, job)]), [...IN_SANDBOX, '-e', '0'], ['browse']]
}

/**
 * Stores the code that V8 compiles while the chunks run, for `src/chunk-loader.ts`; each run compiles what the earlier ones did not. That
 * of the joined files is only of the commands that they are for: V8 reads all of it.
 */
export async function compileChunks(folder: string): Promise<void> {
  await rehearse(folder, others(folder))
  for (const file of Object.values(JOINED)) rmSync(join(compiledFolder(folder, process), file), { force: true })
  await rehearse(folder, [...SINGLE_REQUESTS, ...WITHOUT_REQUEST, ...TAB])
}
