import type { JsonObject } from '../../core/json.ts'
import type { Answer } from '../transport/answer.ts'
import type { ListOperation, PagingDocument } from './document.ts'
import type { References } from './field-map.ts'
import { compileKeep, compileList, type DeclaredPage } from './read-list.ts'
import type { RecordMap } from './record-map.ts'
import type { ConnectorRequest, PageStart, RequestMaker, RequestParts } from './requests.ts'

/** One list of records: all of them, or those with some values. */
export interface ListRules {
  readonly paging: PagingDocument
  pageRequest(start: PageStart | undefined, size: number | undefined, parts: RequestParts): ConnectorRequest
  readPage(answer: Answer, parts: RequestParts, references: References): DeclaredPage | string
  /** Tells the records of the list from others that the server lists with them. */
  listed(parts: RequestParts): (record: JsonObject) => boolean
}

interface Surroundings {
  readonly requestOf: (operation: ListOperation) => RequestMaker
  /** Adds the members that are asked for. */
  readonly selecting: (parts: RequestParts) => RequestParts
  readonly map: RecordMap
}

export function listRules(list: ListOperation, { requestOf, selecting, map }: Surroundings): ListRules {
  const reading = compileList(list)
  const keeping = compileKeep(list.keep)
  return {
    paging: list.paging,
    pageRequest: (start, size, parts) =>
      requestOf(list).request({ ...selecting(parts), page: pageValues(list.paging, start, size) }, start),
    listed: (parts) => {
      const isKept = keeping(requestOf(list).values(parts))
      return (record) => !map.isDeleted(record) && isKept(record)
    },
    readPage: (answer, parts, references) => {
      const found = reading(answer.json, requestOf(list).values(parts))
      if (typeof found === 'string') return found
      const kept = found.records.filter((record) => !map.isDeleted(record))
      const last = found.records.at(-1)
      return {
        items: map.isPlain ? kept : kept.map((record) => map.read(record, references)),
        elements: found.elements,
        ...(Object.keys(list.up).length > 0 && { isNested: true }),
        lastId: last && map.idOf(last),
        stated: found.stated,
      }
    },
  }
}

function pageValues(
  paging: PagingDocument,
  start: PageStart | undefined,
  size: number | undefined,
): Readonly<Record<string, string | number>> {
  const { by, param, size: sized, start: first } = paging
  const values: Record<string, string | number> = {}
  if (sized && size !== undefined) values[sized.param] = size
  const isNumbered = by === 'page' || by === 'offset'
  const value = start === undefined ? (isNumbered ? first : undefined) : 'value' in start ? start.value : undefined
  if (param !== undefined && value !== undefined) values[param] = value
  return values
}
