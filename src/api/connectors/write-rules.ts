import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { Answer } from '../transport/answer.ts'
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

export function answerRules({ record: at, returns, made }: Operation, map: RecordMap): AnswerRules {
  const recordAt = at === undefined ? undefined : compilePath(at)
  const madeAt = made === undefined ? undefined : compilePath(made)
  const serverRecord = (json: JsonValue | undefined) => {
    const found = recordAt === undefined || json === undefined ? undefined : readFirst(recordAt, json)
    return isJsonObject(found) ? found : undefined
  }
  return {
    serverRecord,
    translated: (answer, references) => {
      if (returns === 'nothing') return { ...answer, json: undefined }
      const record = serverRecord(answer.json)
      if (!record || map.isPlain) return record ? { ...answer, json: record } : answer
      const isMade = madeAt && readFirst(madeAt, answer.json)
      return {
        ...answer,
        ...(typeof isMade === 'boolean' && { isMade }),
        ...(at !== '.' && { isPlaced: true }),
        json: returns === 'id' ? { id: map.idOf(record) ?? null } : map.read(record, references),
      }
    },
  }
}
