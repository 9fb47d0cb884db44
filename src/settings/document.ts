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

// Earlier versions described servers by settings `wire.*` and `operations`; a connector does it now.

/** With the defaults that they had; a default says nothing of a server. */
const DEFAULTS = {
  idempotency: 'unknown',
  idempotency_header: 'Idempotency-Key',
  idempotency_window: '30m',
  idempotency_scope: 'key',
  request_life: '2m',
  limit_param: 'limit',
  paging: '',
  cursor_param: '',
  items_path: '',
  next_path: '',
  graphql_path: '',
  run_marker: '',
} as const

type EarlierName = keyof typeof DEFAULTS

/** What such a profile says of its server: `wire.paging` is `paging`. */
export type EarlierSettings = Readonly<Partial<Record<EarlierName, string>>>

const NAMES = Object.keys(DEFAULTS) as readonly EarlierName[]

/** Undefined if the profile says nothing of its server. CrmError `invalid_input` for what is no text. */
export function earlierSettings(stored: JsonObject, name: string, path: string): EarlierSettings | undefined {
  const wire = objectIn(stored, 'wire', path)
  const found = NAMES.flatMap((key) => {
    const value = Object.hasOwn(wire, key) ? wire[key] : undefined
    if (value === undefined || value === DEFAULTS[key]) return []
    if (typeof value !== 'string') {
      throw damaged(path, `${name}.wire.${key} is ${JSON.stringify(value)}, expected a string`)
    }
    return [[key, value] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** Members of the file that crm does not know are kept. */
export function withoutEarlier(stored: JsonObject): JsonObject {
  const names = [...NAMES, 'page_size'].map((key) => ['wire', key])
  return [...names, ['operations']].reduce((rest, place) => replaceIn(rest, place, undefined), stored)
}

/** Whether a profile without a connector is one of `crm serve`: it has served there, or has what no other server has. */
export function isOfCrmServe(stored: JsonObject): boolean {
  const { serve_database: database, operations } = stored
  const names = typeof operations === 'string' ? operations.split(',') : []
  return typeof database === 'string' || ['fixtures.kept', 'jobs.named'].some((each) => names.includes(each))
}
