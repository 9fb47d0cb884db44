import type { BatchOperation } from '../../connector/document.ts'
import { optionalPath, type Path, readAll } from '../../connector/paths.ts'
import type { RecordMap } from '../../connector/record-map.ts'
import { compileTemplate, fill } from '../../connector/templates.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { ConnectorRequest, RequestMaker } from './requests.ts'

/** One row of a batch, as the server takes it. */
export interface BatchRow {
  /** What the server is asked to name it by. */
  readonly row: string
  readonly id?: string | undefined
  readonly record?: JsonObject | undefined
  /** Of a new record. */
  readonly links?: readonly JsonValue[] | undefined
  /** The value that it is found by, and whether a record of the server has it. */
  readonly key?: { readonly value: JsonValue; has(record: JsonObject): boolean } | undefined
}

/** What the answer says of one row. */
export type RowOutcome = { readonly record: JsonObject | undefined } | { readonly error: JsonValue }

export interface BatchRules {
  request(rows: readonly BatchRow[], by: string | undefined): ConnectorRequest
  /** By the name of the row. Rows that a 2xx does not account for, or contradicts itself about, are absent. */
  outcomes(json: JsonValue | undefined, rows: readonly BatchRow[]): ReadonlyMap<string, RowOutcome>
}

export function batchRules(batch: BatchOperation, map: RecordMap, { request }: RequestMaker): BatchRules {
  const item = compileTemplate(batch.item)
  const set = compileTemplate(batch.set)
  const marks = typeof batch.match === 'object' ? batch.match : undefined
  const [results, errors] = [batch.results, batch.errors].map(optionalPath)
  const [resultRow, errorRow] = [marks?.result, marks?.error].map(optionalPath)
  return {
    request: (rows, by) => {
      const items = rows.flatMap(({ row, id, record, links = [], key }) => {
        const known = { row, id, by, value: key?.value, links: [...links] }
        const constants = fill(set, known) as JsonObject
        return fill(item, { ...known, record: record && { ...constants, ...record } }) ?? []
      })
      return request({ items, ...(by !== undefined && { by }) })
    },
    outcomes: (json, rows) => {
      if (batch.match === 'in_order') return inOrder(elementsAt(results, json), rows, errors)
      const found = new Found(rows)
      for (const record of elementsAt(results, json).filter(isJsonObject)) {
        const named = namesAt(resultRow, record)
        found.add(named.length > 0 ? named : rowOf(record, rows, map), { record })
      }
      for (const error of elementsAt(errors, json)) found.add(namesAt(errorRow, error), { error })
      if (batch.match === 'all') found.addRest()
      return found.outcomes
    },
  }
}

function elementsAt(path: Path | undefined, json: JsonValue | undefined): readonly JsonValue[] {
  return path && json !== undefined ? readAll(path, json) : []
}

/** An error may be about several rows. */
function namesAt(path: Path | undefined, json: JsonValue): readonly string[] {
  return path ? readAll(path, json).flatMap((name) => idText(name) ?? []) : []
}

/** Of another number of results than rows, none is known to be that of a row. */
function inOrder(
  results: readonly JsonValue[],
  rows: readonly BatchRow[],
  errors: Path | undefined,
): ReadonlyMap<string, RowOutcome> {
  if (results.length !== rows.length) return new Map()
  const found = rows.flatMap(({ row }, at): (readonly [string, RowOutcome])[] => {
    const result = results[at]
    const [error] = elementsAt(errors, result)
    if (error !== undefined) return [[row, { error }]]
    return isJsonObject(result) ? [[row, { record: result }]] : []
  })
  return new Map(found)
}

/** By the id, then by the key: never by the position. */
function rowOf(result: JsonObject, rows: readonly BatchRow[], map: RecordMap): readonly string[] {
  const id = map.idOf(result)
  const same = rows.filter((row) => (row.id === undefined ? row.key?.has(result) : row.id === id))
  return same.map(({ row }) => row)
}

/** A row with two outcomes has none. */
class Found {
  readonly outcomes = new Map<string, RowOutcome>()
  readonly #names: ReadonlySet<string>
  readonly #twice = new Set<string>()

  constructor(rows: readonly BatchRow[]) {
    this.#names = new Set(rows.map(({ row }) => row))
  }

  add(names: readonly string[], outcome: RowOutcome): void {
    for (const name of names) {
      if (!this.#names.has(name)) continue
      if (this.outcomes.delete(name)) this.#twice.add(name)
      else if (!this.#twice.has(name)) this.outcomes.set(name, outcome)
    }
  }

  addRest(): void {
    for (const name of this.#names) {
      if (!this.outcomes.has(name) && !this.#twice.has(name)) this.outcomes.set(name, { record: undefined })
    }
  }
}
