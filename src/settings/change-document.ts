import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, parse } from 'node:path'
import Conf from 'conf'
import type { JsonObject } from '../core/json.ts'
import { withLock } from '../files/lock.ts'
import { toMachineError } from '../files/machine-error.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'

/**
 * Changes what the file holds now, whoever wrote it last: two processes lose nothing. `read` gives that, and refuses a
 * link, which conf would follow.
 */
export async function changeDocument(
  path: string,
  read: () => Promise<JsonObject>,
  change: (document: JsonObject) => JsonObject,
): Promise<void> {
  const folder = dirname(path)
  await ensurePrivateFolder(folder)
  await withLock(join(folder, 'lock'), async () => {
    write(path, change(await read()))
    await removeLeftovers(path)
  })
}

/** Temporary files of processes that were killed; a key that is forgotten must not live on in one. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder)
  const leftovers = names.filter((name) => name.startsWith(`${basename(path)}.tmp-`))
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })))
}

/** By a temporary file and a rename, which is how conf writes. */
function write(path: string, document: JsonObject): void {
  try {
    const file = new Conf<JsonObject>({
      cwd: dirname(path),
      configName: parse(path).name,
      configFileMode: 0o600,
      // A profile may be called a.b.
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    })
    file.store = document
  } catch (error) {
    throw toMachineError(error, path)
  }
}
