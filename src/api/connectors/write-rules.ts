import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { Answer } from '../transport/answer.ts'
import { signsOf } from '../writes/answer-signs.ts'
import { ownId, readShown } from '../writes/shown-record.ts'
import type { Operation } from './document.ts'
import type { References } from './field-map.ts'
import { compilePath, readFirst } from './paths.ts'
import type { RecordMap } from './record-map.ts'

/** What the answers to one operation say. */
export interface AnswerRules {
  /** The record of an answer, by the server's names; undefined if it has none. */
  serverRecord(json: JsonValue | undefined): JsonObject | undefined
  /** An answer to a write, with the record in crm's names. */
  translated(answer: Answer, references: References): Answer
}

export function answerRules({ record: at, returns, made, path }: Operation, map: RecordMap): AnswerRules {
  const recordAt = at === undefined ? undefined : compilePath(at)
  const madeAt = made === undefined ? undefined : compilePath(made)
  const serverRecord = (json: JsonValue | undefined) => {
    if (recordAt === undefined) return map.isPlain ? undefined : detected(json, path)
    const found = json === undefined ? undefined : readFirst(recordAt, json)
    return isJsonObject(found) ? found : undefined
  }
  // Translated, such an answer would lose what it states.
  const isRefusal = (json: JsonValue | undefined, record: JsonObject) =>
    statesRefusal(json) && map.idOf(record) === undefined
  return {
    serverRecord,
    translated: (answer, references) => {
      if (returns === 'nothing') return { ...answer, isStatusProof: true }
      const record = serverRecord(answer.json)
      if (!record || isRefusal(answer.json, record)) return answer
      if (map.isPlain) return { ...answer, json: record }
      const isMade = madeAt && readFirst(madeAt, answer.json)
      return {
        ...answer,
        ...(typeof isMade === 'boolean' && { isMade }),
        ...(at !== undefined && at !== '.' && { isPlaced: true }),
        // An answer with the id alone often has another name for it than a record: `id` and `Id`.
        json: returns === 'id' ? { id: map.idOf(record) ?? ownId(record) ?? null } : map.read(record, references),
      }
    },
  }
}

function statesRefusal(json: JsonValue | undefined): boolean {
  if (Array.isArray(json)) return json.length > 0 && json.every(statesRefusal)
  if (!isJsonObject(json)) return false
  const { isRefusing, isTroubled } = signsOf(json)
  return isRefusing || isTroubled
}

/** The record as found without a connector; undefined within an answer that reports trouble. */
function detected(json: JsonValue | undefined, path: string): JsonObject | undefined {
  const shown = readShown(json, { sent: () => undefined, path })
  const isTrouble = shown?.slice(0, -1).some((around) => signsOf(around).isRefusing || signsOf(around).isTroubled)
  return isTrouble ? undefined : shown?.at(-1)
}
