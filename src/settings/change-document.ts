import { dirname, join, parse } from 'node:path'
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
  await withLock(join(folder, 'lock'), async () => write(path, change(await read())))
}

/** conf replaces the file whole. */
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
