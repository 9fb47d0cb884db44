import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Names of ids, without those of requests, tasks and related objects. */
const ID_NAME = /^(?:_?[iI][dD]|[uU][uU][iI][dD]|[gG][uU][iI][dD]|(\w+?)(?:_id|I[dD]))$/
const OTHERS_ID =
  /(?:request|trace|correlation|job|task|operation|batch|queue|process|session|span|event|log|error|message|transaction|account|user|owner|tenant|organi[sz]ation|company|workspace|portal|client|parent)$/i
/** Values for the id of a record that was not created. */
const NO_ID = /^\s*(?:0|-\d+|0{8}(?:-0{4}){3}-0{12})?\s*$/

/** The id of the object itself. */
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
  // MongoDB: `{"$oid": "..."}`.
  const id = idText(isJsonObject(value) ? value.$oid : value)
  return id === undefined || NO_ID.test(id) ? undefined : id
}
