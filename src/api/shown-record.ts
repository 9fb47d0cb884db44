import { idText } from '../core/exact-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { isSignName, signsOf } from './answer-signs.ts'

/** Ids go by many names; those of the request, of work under way, and of what stands around a record are no record's. */
const ID_NAME = /^(?:_?[iI][dD]|[uU][uU][iI][dD]|[gG][uU][iI][dD]|(\w+?)(?:_id|I[dD]))$/
const OTHERS_ID =
  /(?:request|trace|correlation|job|task|operation|batch|queue|process|session|span|event|log|error|message|transaction|account|user|owner|tenant|organi[sz]ation|company|workspace|portal|client|parent)$/i
/** Where a record stands within an answer, beside its own name; below any other stands something else, such as a job. */
const WRAPPERS = ['data', 'result', 'record', 'item', 'object', 'results', 'records', 'items', 'value', 'd', 'body']
const OWN_NAME =
  /^(?:contact|person|people|lead|customer|deal|opportunity|note|comment|activity|webhook|hook|subscription|endpoint)s?$/i
const AROUND = /^(?:meta|metadata|links|_links|pagination|info|timestamp|version|(?:request|trace|correlation)_?id)$/i

/** The id that an object shows as its own. */
export function ownId(object: JsonObject): string | undefined {
  const id = idOf(object.id)
  if (id !== undefined) return id
  for (const [name, value] of Object.entries(object)) {
    const found = isOwnIdName(name) ? idOf(value) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function isOwnIdName(name: string): boolean {
  const match = ID_NAME.exec(name)
  return match !== null && !(match[1] !== undefined && OTHERS_ID.test(match[1]))
}

function idOf(value: JsonValue | undefined): string | undefined {
  // As MongoDB writes its own.
  const id = idText(isJsonObject(value) ? value.$oid : value)
  return id === undefined || id.trim() === '' ? undefined : id
}

/** What an answer shows of one record: the objects that lead to it, the outermost first, and the record as the last of them. */
export type Shown = readonly [JsonObject, ...JsonObject[]]

/** Undefined where an answer shows no object at all, or a list of several. */
export function readShown(json: JsonValue | undefined, sent: () => JsonObject | undefined): Shown | undefined {
  const object = oneObject(json)
  if (object === undefined) return undefined
  if (idOf(object.id ?? object._id) !== undefined) return [object]
  const inner = innerOf(object)
  const within = inner === undefined || showsSent(object, sent() ?? {}, true) ? undefined : readShown(inner, sent)
  return within === undefined ? [object] : [object, ...within]
}

function innerOf(envelope: JsonObject): JsonObject | undefined {
  for (const name of WRAPPERS) {
    const found = oneObject(envelope[name])
    if (found !== undefined) return found
  }
  const others = Object.entries(envelope).filter(([name]) => !AROUND.test(name) && !isSignName(name))
  const [only] = others
  if (only !== undefined && others.length === 1 && OWN_NAME.test(only[0]) && isJsonObject(only[1])) return only[1]
  // Zoho: `{code, status, message, details: {id}}`; of a duplicate the id is that of another record.
  const { details } = envelope
  const isMade = isJsonObject(details) && idOf(details.id) !== undefined && !signsOf(envelope).isRefusing
  return isMade ? details : undefined
}

/** Of a list of one, the one. */
function oneObject(value: JsonValue | undefined): JsonObject | undefined {
  const found = Array.isArray(value) && value.length === 1 ? value[0] : value
  return isJsonObject(found) ? found : undefined
}

/**
 * Whether a member that was sent is shown. Servers write values in their own way, but a list of faults in place of a text
 * is none; where `isStrict`, because something else speaks against a record, the value has to be the one that was sent.
 */
export function showsSent(record: JsonObject, sent: JsonObject, isStrict: boolean): boolean {
  return Object.entries(sent).some(([name, value]) => {
    const shown = Object.hasOwn(record, name) ? record[name] : undefined
    if (shown === undefined || shown === null) return false
    const isSame = valueText(shown) === valueText(value)
    return isSame ? !isSignName(name) || !isStrict : !isStrict && !isSignName(name) && kindOf(shown) === kindOf(value)
  })
}

function valueText(value: JsonValue): string {
  return (idText(value) ?? JSON.stringify(value)).trim().toLowerCase()
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'list'
  return isJsonObject(value) ? 'object' : 'scalar'
}
