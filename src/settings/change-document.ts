import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, parse } from 'node:path'
import Conf from 'conf'
import type { JsonObject } from '../core/json.ts'
import { withLock } from '../files/lock.ts'
import { toMachineError } from '../files/machine-error.ts'
import { ensurePrivateFolder } from '../files/private-file.ts'

/**
 * Changes the current contents of the file under a lock, so that concurrent processes lose no change. `read` returns the
 * contents and rejects a symbolic link, which conf would follow.
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

/** Removes temporary files of killed processes, as one may still contain a forgotten key. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder)
  const leftovers = names.filter((name) => name.startsWith(`${basename(path)}.tmp-`))
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })))
}

/** conf writes a temporary file and renames it. */
function write(path: string, document: JsonObject): void {
  try {
    const file = new Conf<JsonObject>({
      cwd: dirname(path),
      configName: parse(path).name,
      configFileMode: 0o600,
      // A profile may be named a.b.
      accessPropertiesByDotNotation: false,
      serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    })
    file.store = document
  } catch (error) {
    throw toMachineError(error, path)
  }
}
