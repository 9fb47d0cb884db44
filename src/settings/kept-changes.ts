import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseExactJson } from '../core/exact-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { toMachineError } from '../files/machine-error.ts'
import { namesIn } from '../files/names-in.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { ensurePrivateFolderNow } from '../files/private-folder.ts'
import { writePrivateFileNow } from '../files/write-private-file.ts'
import { damaged } from './document.ts'
import { stateFolder } from './state-folder.ts'

/** A change that was made on the screens and not sent when they were left. */
export interface KeptChange {
  readonly list: 'contacts' | 'deals'
  readonly id: string
  /** A merge patch; null for a deletion. */
  readonly patch: JsonObject | null
  /** The record as it was when the change was made. */
  readonly before: JsonObject
}

/** Changes that wait for the next start at one server: a file a process, so that two that end at once lose nothing. */
export interface KeptChanges {
  /** All that were kept. CrmError `invalid_input` for a damaged file, `machine` for one that others may read. */
  read(): Promise<readonly KeptChange[]>
  /** What waits from now on, in the place of what was read; it is on disk when this returns. CrmError `machine`. */
  write(changes: readonly KeptChange[]): void
}

/** `server` is the address that the changes belong to: an id means another record elsewhere. */
export function openKeptChanges(env: Env, server: string): KeptChanges {
  const folder = join(stateFolder(env), 'browse')
  const prefix = `${createHash('sha256').update(server).digest('hex').slice(0, 16)}-`
  const own = join(folder, `${prefix}${randomBytes(6).toString('hex')}.json`)
  let taken: readonly string[] = []
  return {
    read: async () => {
      const paths = namesIn(folder).flatMap((name) => (name.startsWith(prefix) ? [join(folder, name)] : []))
      const found = await Promise.all(paths.map((path) => readChanges(path, server)))
      taken = paths
      return found.flat()
    },
    write: (changes) => {
      if (changes.length > 0) {
        ensurePrivateFolderNow(folder)
        writePrivateFileNow(own, `${JSON.stringify({ server, changes }, null, 2)}\n`)
      }
      for (const path of changes.length > 0 ? taken : [...taken, own]) remove(path)
      taken = []
    },
  }
}

async function readChanges(path: string, server: string): Promise<readonly KeptChange[]> {
  const text = await readPrivateFile(path)
  return text === undefined ? [] : parseChanges(text, server, path)
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw toMachineError(error, path)
  }
}

function parseChanges(text: string, server: string, path: string): readonly KeptChange[] {
  let value: JsonValue
  try {
    value = parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(path, 'it is not JSON')
    throw error
  }
  if (!isJsonObject(value) || !Array.isArray(value.changes)) throw damaged(path, 'it holds no changes')
  if (value.server !== server) throw damaged(path, `it is of ${JSON.stringify(value.server)}, and not of ${server}`)
  return value.changes.map((change) => parseChange(change, path))
}

function parseChange(value: JsonValue, path: string): KeptChange {
  if (isJsonObject(value)) {
    const { list, id, patch = null, before } = value
    const isPatch = patch === null || isJsonObject(patch)
    if ((list === 'contacts' || list === 'deals') && typeof id === 'string' && isPatch && isJsonObject(before)) {
      return { list, id, patch, before }
    }
  }
  throw damaged(path, 'one of its changes is none')
}
