import type { JsonObject } from '../../core/json.ts'
import type { ApiMethod, ApiParameter } from './api-description.ts'
import {
  COUNT_NAME,
  CURSORS,
  MORES,
  NEXT_CURSORS,
  NEXT_URLS,
  OF_ALL,
  OF_PAGE,
  OFFSETS,
  PAGE_COUNTS,
  PAGES,
  SIZES,
  TOTALS,
} from './paging-names.ts'
import { joined } from './record-places.ts'
import type { Schemas, SchemaView } from './schemas.ts'
import { foldedName } from './server-names.ts'

/** A parameter of a list, or a member of the body of a query. */
interface Parameter {
  readonly name: string
  readonly in: 'query' | 'body'
  readonly description: string
  readonly schema: SchemaView
  readonly isRequired: boolean
}

export interface DraftPaging {
  /** Undefined: the document shows none. */
  readonly paging: JsonObject | undefined
  /** What is missing in it, or assumed. */
  readonly doubt: string | undefined
  readonly remark: string | undefined
}

/** How the list is paged. What is in doubt is left unfinished, so that the loader refuses it: half a list is not a list. */
export function draftPaging(list: ApiMethod, schemas: Schemas): DraftPaging {
  const signs = signsOf(list, schemas)
  const { sizes, remark } = sizeOf(signs.nextUrl !== undefined && isTop(signs.size) ? undefined : signs.size)
  const paging = byAnswer(list, signs) ?? byCount(signs)
  if (paging) {
    const remarks = [remark, countRemark(paging, signs)].filter((each) => each !== undefined)
    return { paging: { ...paging, ...sizes }, doubt: undefined, remark: remarks.join('; ') || undefined }
  }
  const { cursor, size, stated } = signs
  if (cursor) {
    const isLast = /\b(?:last|id of|object id)\b/i.test(cursor.description)
    const doubt = isLast
      ? `${cursor.name} seems to be the id of the last record of a page (by: last)`
      : `the parameter ${cursor.name} leads to the next page, and the document does not say where its value comes from`
    const more = only('more', stated.more)
    return { paging: { by: 'cursor', param: cursor.name, ...more, ...sizes }, doubt, remark: undefined }
  }
  if (signs.nextCursor !== undefined) return assumedCursor(signs.nextCursor, sizes)
  const isPaged = stated.more !== undefined || stated.pages !== undefined
  if (!size) {
    const unknown =
      'the answer states pages, and the document names no parameter for the next one: are they those of the other lists?'
    return isPaged ? { paging: {}, doubt: unknown, remark: undefined } : NOT_PAGED
  }
  const doubt = `the parameter ${size.name} sets the size of a page, but no parameter leads to the next page`
  return { paging: { ...sizes }, doubt, remark: undefined }
}

/** `$top` of OData ends the list: an answer to it has no link to the rest. */
function isTop(size: Parameter | undefined): boolean {
  return size !== undefined && foldedName(size.name) === 'top'
}

/** A count of the page that is taken for the total ends a list after its first page; without a total, the last page ends it. */
function countRemark(paging: JsonObject, { openCount }: Signs): string | undefined {
  if (openCount === undefined || paging.total !== undefined || !['page', 'offset'].includes(String(paging.by)))
    return undefined
  return `the document does not say whether ${openCount} counts all records (total: ${openCount}) or those of a page`
}

const NOT_PAGED: DraftPaging = { paging: undefined, doubt: undefined, remark: undefined }

/** A document may leave out the parameter that takes the cursor of the answer. */
function assumedCursor(next: string, sizes: JsonObject): DraftPaging {
  const param = next.slice(next.lastIndexOf('.') + 1)
  const doubt = `the document names no parameter for the next page; ${param} with the value of ${next} is assumed`
  return { paging: { by: 'cursor', param, next, ...sizes }, doubt, remark: undefined }
}

interface Signs {
  readonly size: Parameter | undefined
  readonly cursor: Parameter | undefined
  readonly offset: Parameter | undefined
  readonly page: Parameter | undefined
  /** Paths in the answer. */
  readonly stated: { readonly total?: string; readonly more?: string; readonly pages?: string }
  /** Of all records, or of the page. */
  readonly openCount: string | undefined
  readonly nextUrl: string | undefined
  readonly nextCursor: string | undefined
  readonly nextOffset: string | undefined
}

/** Names that say what their value is. */
const NAMED_URLS = NEXT_URLS.filter((name) => /ur[il]|link/.test(name))

function signsOf(list: ApiMethod, schemas: Schemas): Signs {
  const parameters = parametersOf(list, schemas)
  const named = (names: readonly string[]) => bestNamed(parameters, names)
  const members = list.answer ? scalarsIn(list.answer, schemas) : []
  const member = (names: readonly string[], isOne: (view: SchemaView) => boolean) => bestMember(members, names, isOne)
  return {
    size: named(SIZES),
    cursor: onlyCursor(parameters),
    offset: named(OFFSETS),
    page: named(PAGES),
    stated: {
      ...only('total', member(TOTALS, isNumber) ?? member([COUNT_NAME], isCountOfAll)),
      ...only(
        'more',
        member(MORES, ({ type }) => type === 'boolean'),
      ),
      ...only('pages', member(PAGE_COUNTS, isNumber)),
    },
    openCount: member([COUNT_NAME], (view) => isNumber(view) && !isCountOfAll(view) && !OF_PAGE.test(view.description)),
    nextUrl: member(NEXT_URLS, isUrl) ?? member(NAMED_URLS, isText),
    nextCursor: nextOf(onlyCursor(parameters), members),
    nextOffset: member(['nextstart', 'nextoffset'], isNumber),
  }
}

/** Of two cursors, such as a time and an id, each alone is not enough. */
function onlyCursor(parameters: readonly Parameter[]): Parameter | undefined {
  const all = parameters.filter(({ name }) => CURSORS.includes(foldedName(name)))
  const isCounted = [...PAGES, ...OFFSETS].some((name) => parameters.some((each) => foldedName(each.name) === name))
  return all.length > 1 && isCounted ? undefined : bestNamed(all, CURSORS)
}

/** A member that is named like the parameter is its next value for sure. */
function nextOf(cursor: Parameter | undefined, members: readonly Scalar[]): string | undefined {
  const name = cursor && foldedName(cursor.name)
  // A member `cursor` beside a next one is that of the page itself.
  const own = name === undefined ? [] : [`next${name}`, ...(name === 'cursor' ? [] : [name])]
  return bestMember(members, [...own, ...NEXT_CURSORS], isCursor)
}

/** The answer leads to the next page. */
function byAnswer({ answerHeaders }: ApiMethod, signs: Signs): JsonObject | undefined {
  const { cursor, page, offset, nextUrl, nextCursor, nextOffset, stated } = signs
  const total = only('total', stated.total)
  const more = { ...only('more', stated.more), ...total }
  const hasCursor = cursor !== undefined && nextCursor !== undefined && nextCursor !== nextUrl
  if (nextUrl !== undefined && !hasCursor) return { by: 'next_url', next: nextUrl, ...total }
  if (answerHeaders.includes('link') && !cursor) return { by: 'link', ...total }
  if (hasCursor) return { by: 'cursor', ...placeOf(cursor), param: cursor.name, next: nextCursor, ...more }
  if (page || !offset || nextOffset === undefined) return undefined
  return { by: 'cursor', ...placeOf(offset), param: offset.name, next: nextOffset, ...more }
}

/** Pages or records are counted. */
function byCount({ page, offset, stated }: Signs): JsonObject | undefined {
  if (page) return { by: 'page', ...placeOf(page), param: page.name, ...startOf(page), ...stated }
  if (!offset) return undefined
  const { pages: _, ...ends } = stated
  return { by: 'offset', ...placeOf(offset), param: offset.name, ...ends }
}

function placeOf(parameter: Parameter): JsonObject {
  return parameter.in === 'body' ? { in: 'body' } : {}
}

function isUrl({ type, format, example, description }: SchemaView): boolean {
  if (format === 'uri' || format === 'url' || /^https?:|^\//.test(String(example ?? ''))) return true
  return type === 'string' && /^(?:(?:the|a|full|absolute|relative) )*(?:url|uri|link)\b/i.test(description)
}

function isText({ type }: SchemaView): boolean {
  return type === 'string'
}

function parametersOf({ parameters, body, method }: ApiMethod, schemas: Schemas): readonly Parameter[] {
  const query = parameters
    .filter((each: ApiParameter) => each.in === 'query')
    .map((each) => ({ ...each, in: 'query' as const }))
  if (method === 'get' || !body) return query
  const members = [...body.members.keys()].flatMap((name) => {
    const schema = schemas.member(body, name)
    if (!schema || schema.type === 'array' || (schema.type === 'object' && schema.members.size > 0)) return []
    return [{ name, in: 'body' as const, description: schema.description, schema, isRequired: body.required.has(name) }]
  })
  return [...query, ...members]
}

function bestNamed(parameters: readonly Parameter[], names: readonly string[]): Parameter | undefined {
  return names.map((name) => parameters.find((each) => foldedName(each.name) === name)).find((found) => found)
}

interface Scalar {
  readonly path: string
  readonly name: string
  readonly view: SchemaView
}

const MAX_DEPTH = 4

/** Schemas may contain each other. */
const MAX_SCALARS = 2000

/** Members of the answer beside its records, the outer ones first. */
function scalarsIn(answer: SchemaView, schemas: Schemas): readonly Scalar[] {
  const found: Scalar[] = []
  const queue = [{ view: answer, from: '.', depth: 0 }]
  let count = 0
  for (let next = queue.shift(); next && count < MAX_SCALARS; next = queue.shift()) {
    const { view, from, depth } = next
    for (const name of view.members.keys()) {
      const member = schemas.member(view, name)
      if (!member || member.type === 'array') continue
      count += 1
      const path = joined(from, name)
      if (member.type !== 'object' || member.members.size === 0) found.push({ path, name, view: member })
      else if (depth < MAX_DEPTH) queue.push({ view: member, from: path, depth: depth + 1 })
    }
  }
  return found
}

function bestMember(
  members: readonly Scalar[],
  names: readonly string[],
  isOne: (view: SchemaView) => boolean,
): string | undefined {
  for (const name of names) {
    const found = members.find((each) => foldedName(each.name) === name && isOne(each.view))
    if (found) return found.path
  }
  return undefined
}

function isNumber({ type }: SchemaView): boolean {
  return type === 'integer' || type === 'number'
}

function isCountOfAll(view: SchemaView): boolean {
  const { description } = view
  return isNumber(view) && OF_ALL.test(description) && !OF_PAGE.test(description)
}

function isCursor(view: SchemaView): boolean {
  const { type } = view
  if (isUrl(view)) return false
  return type === 'string' || type === 'unknown' || type === 'integer' || type === 'number'
}

function only(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value }
}

function startOf({ schema, description }: Parameter): JsonObject {
  const first = schema.default ?? schema.minimum
  return first === 0 || /\b(?:zero|0)[- ](?:based|indexed)\b|starts? (?:at|from|with) 0/i.test(description)
    ? { start: 0 }
    : {}
}

const MAX_SIZE = 10_000

/** The greatest page that the document states, in numbers or in words. */
function sizeOf(size: Parameter | undefined): { readonly sizes: JsonObject; readonly remark: string | undefined } {
  if (!size) return { sizes: {}, remark: undefined }
  const { name, description, schema } = size
  const stated = schema.maximum ?? statedMaximum(description)
  if (stated !== undefined && stated > 0 && stated <= MAX_SIZE)
    return { sizes: { size: { param: name, max: stated } }, remark: undefined }
  const usual = [schema.default, schema.example].map(Number).find((value) => Number.isInteger(value) && value > 0)
  const max = usual ?? Math.max(...schema.values.map(Number).filter((value) => Number.isInteger(value) && value > 0), 0)
  if (max <= 0 || max > MAX_SIZE)
    return { sizes: {}, remark: `the greatest page size (${name}) is not stated: size: { param: ${name}, max: ... }` }
  const remark = `the document states no maximum of ${name}: ${max} is its ${usual === undefined ? 'greatest value' : 'default or example'}`
  return { sizes: { size: { param: name, max } }, remark }
}

function statedMaximum(description: string): number | undefined {
  const text = description.replaceAll(',', '')
  const found =
    /\bbetween\s*\d{1,3}\s*(?:and|to|-|–)\s*(\d{1,5})\b/i.exec(text)?.[1] ??
    /\b(?:max(?:imum)?|up to|at most|no more than|not? exceed|cannot be (?:greater|more) than|highest|limit(?:ed)? (?:of|to))\b[^.\d]{0,60}?(\d{1,5})/i.exec(
      text,
    )?.[1] ??
    /\b(\d{1,5})\s*(?:is the|as the)?\s*(?:maximum|max\b|at most)/i.exec(text)?.[1] ??
    /\b\d{1,3}\s*(?:to|-|–)\s*(\d{2,5})\b/i.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}
