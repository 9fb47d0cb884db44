import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { shellWord } from '../core/shell-words.ts'
import { toMachineError } from '../files/machine-error.ts'

/** The object in a settings file; empty when there is no file. CrmError `invalid_input` for a damaged file. */
export function parseJsonObject(text: string | undefined, path: string): JsonObject {
  if (text === undefined) return {}
  let value: unknown
  try {
    // Windows editors add a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw damaged(path, `it is not JSON${placeOf(error, text)}`)
  }
  if (!isJsonObject(value)) throw damaged(path, 'it is not a JSON object')
  return value
}

/** The object under `name`; empty when there is none. */
export function objectIn(document: JsonObject, name: string, path: string): JsonObject {
  const value = Object.hasOwn(document, name) ? document[name] : undefined
  if (value === undefined) return {}
  if (!isJsonObject(value)) throw damaged(path, `${name} is not an object`)
  return value
}

/** Sets the value at a path, or removes it when undefined. Other members are unchanged. */
export function replaceIn(document: JsonObject, names: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name, ...rest] = names
  if (name === undefined) return document
  const inner = Object.hasOwn(document, name) ? document[name] : undefined
  const next = rest.length === 0 ? value : replaceIn(isJsonObject(inner) ? inner : {}, rest, value)
  const others = Object.entries(document).filter(([key]) => key !== name)
  const isGone = next === undefined || (rest.length > 0 && isJsonObject(next) && Object.keys(next).length === 0)
  if (isGone) return Object.fromEntries(others)
  if (inner === undefined) return Object.fromEntries([...others, [name, next]])
  return Object.fromEntries(Object.entries(document).map(([key, old]) => [key, key === name ? next : old]))
}

export function damaged(path: string, what: string): CrmError {
  return new CrmError('invalid_input', `cannot read ${path}: ${what}`, {
    hint: `correct it by hand, or start with a new file: mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}`,
  })
}

/** Only the line number: the message of JSON.parse quotes the file, which may contain a key. */
function placeOf(error: unknown, text: string): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined
  return position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
}

export interface DocumentFile {
  readonly path: string
  /** Cached from the first read, or from the last update by this object. */
  read(): Promise<JsonObject>
  /** Creates the folder and changes the current contents of the file. The file is unchanged when `change` throws. */
  update(change: (document: JsonObject) => JsonObject): Promise<void>
}

/** `readText` decides who else may read the file. */
export function openDocument(path: string, readText: (path: string) => Promise<string | undefined>): DocumentFile {
  let cached: Promise<JsonObject> | undefined
  const load = async (): Promise<JsonObject> => parseJsonObject(await readText(path), path)
  return {
    path,
    read() {
      cached ??= load()
      return cached
    },
    async update(change) {
      // Loaded only for writes: the validator in conf takes longer than the rest of a start.
      const { changeDocument } = await import('./change-document.ts').catch((error: unknown) => {
        throw toMachineError(error, path)
      })
      await changeDocument(path, load, change)
      cached = undefined
    },
  }
}
