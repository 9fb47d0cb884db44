import { defined, type JsonObject } from '../../core/json.ts'
import {
  bestNamed,
  CURSORS,
  foldedName,
  MORES,
  NEXT_CURSORS,
  NEXT_URLS,
  OFFSETS,
  PAGE_COUNTS,
  PAGES,
  SIZES,
  TOTALS,
} from '../names.ts'
import type { ApiMethod, ApiParameter } from './read-description.ts'
import { leavesOf } from './record-places.ts'
import { isNumber, type SchemaView } from './schemas.ts'

/** A parameter of a list, or a member of the body of a query. */
type Parameter = Pick<ApiParameter, 'name' | 'in' | 'description' | 'schema'>

export interface DraftPaging {
  /** Undefined: the document does not show how the list is paged. */
  readonly paging?: JsonObject
  /** What is missing, or assumed. */
  readonly doubt?: string
  /** The member `size` of a paging, if the document shows one. */
  readonly sizes: JsonObject
}

export function draftPaging(list: ApiMethod): DraftPaging {
  const signs = signsOf(list)
  const { size, cursor, nextCursor, nextUrl, more, pages } = signs
  // `$top` of OData ends the list: an answer to it has no link to the rest.
  const isTop = size !== undefined && foldedName(size.name) === 'top'
  const sizes = size && !(isTop && nextUrl !== undefined) ? sizeOf(size) : {}
  const paging = byAnswer(list, signs) ?? byCount(signs)
  if (paging) return { paging: { ...paging, ...sizes }, sizes }
  if (cursor) {
    const doubt = `the parameter ${cursor.name} leads to the next page, and the document does not say where its value comes from: a member of the answer, or the id of the last record (by: last)`
    return { doubt, sizes }
  }
  if (nextCursor !== undefined) {
    const param = nextCursor.slice(nextCursor.lastIndexOf('.') + 1)
    const doubt = `the document names no parameter for the next page; ${param} with the value of ${nextCursor} is assumed`
    return { paging: { by: 'cursor', param, next: nextCursor, ...sizes }, doubt, sizes }
  }
  if (size) {
    return {
      doubt: `the parameter ${size.name} sets the size of a page, but no parameter leads to the next page`,
      sizes,
    }
  }
  const isPaged = more !== undefined || pages !== undefined
  return { ...(isPaged && { doubt: 'the answer states pages, and no parameter leads to the next one' }), sizes }
}

const OF_ALL = /\b(?:total|overall|all|altogether|entire|match(?:es|ing)?|across)\b/i
const OF_PAGE = /\b(?:page|returned|this (?:response|request|result|list)|current)\b/i

type Signs = ReturnType<typeof signsOf>

/** Parameters, and paths in the answer. */
function signsOf(list: ApiMethod) {
  const parameters = parametersOf(list)
  const members = list.answer ? leavesOf(list.answer) : []
  const member = (names: readonly string[], isOne: (view: SchemaView) => boolean) => {
    const fitting = members.filter(({ view }) => isOne(view))
    return bestNamed(fitting, names)?.path
  }
  const isText = ({ type }: SchemaView) => type === 'string'
  const isCountOfAll = (view: SchemaView) =>
    isNumber(view) && OF_ALL.test(view.description) && !OF_PAGE.test(view.description)
  const [size, page, offset] = [SIZES, PAGES, OFFSETS].map((names) => bestNamed(parameters, names))
  const cursors = parameters.filter(({ name }) => bestNamed([{ name }], CURSORS))
  // Of two cursors, such as a time and an id, each alone is not enough.
  const cursor = cursors.length > 1 && (page || offset) ? undefined : bestNamed(cursors, CURSORS)
  const own = cursor && foldedName(cursor.name)
  // A member that is named like the parameter is its next value for sure; `cursor` beside a next one is that of the page itself.
  const next = own === undefined ? [] : own === 'cursor' ? ['nextcursor'] : [`next${own}`, own]
  const linkNames = NEXT_URLS.filter((name) => /ur[il]|link/.test(name))
  const nextOffsets = [`next${foldedName(offset?.name ?? '')}`, 'nextstart', 'nextoffset']
  return {
    size,
    cursor,
    offset,
    page,
    total: member(TOTALS, isNumber) ?? member(['count'], isCountOfAll),
    more: member(MORES, ({ type }) => type === 'boolean'),
    pages: member(PAGE_COUNTS, isNumber),
    nextUrl: member(NEXT_URLS, isUrl) ?? member(linkNames, isText),
    nextCursor: member([...next, ...NEXT_CURSORS], (view) => !isUrl(view) && !/object|boolean/.test(view.type)),
    nextOffset: member(nextOffsets, (view) => isNumber(view) || isText(view)),
    /** Members that an answer may lack, and that are not null instead. */
    absent: new Set(members.filter(({ isRequired, view }) => !isRequired && !view.isNullable).map(({ path }) => path)),
  }
}

/** The answer leads to the next page. */
function byAnswer({ hasLinkHeader }: ApiMethod, signs: Signs): JsonObject | undefined {
  const { cursor, page, offset, nextUrl, nextCursor, nextOffset, more, total, absent } = signs
  const leading = (next: string) => ({ next, ...(absent.has(next) && more === undefined && { absent: true }) })
  const by = (parameter: Parameter, next: string) => ({
    ...{ by: 'cursor', ...placeOf(parameter), ...leading(next), ...defined({ more, total }) },
  })
  const hasCursor = cursor !== undefined && nextCursor !== undefined && nextCursor !== nextUrl
  if (nextUrl !== undefined && !hasCursor) return { by: 'next_url', ...leading(nextUrl), ...defined({ total }) }
  if (hasLinkHeader && !cursor) return { by: 'link', ...defined({ total }) }
  if (hasCursor) return by(cursor, nextCursor)
  return page || !offset || nextOffset === undefined ? undefined : by(offset, nextOffset)
}

/** Pages or records are counted. */
function byCount({ page, offset, total, more, pages }: Signs): JsonObject | undefined {
  if (!page) return offset && { by: 'offset', ...placeOf(offset), ...defined({ total, more }) }
  const { schema, description } = page
  const isFromZero =
    (schema.default ?? schema.minimum) === 0 ||
    /\b(?:zero|0)[- ](?:based|indexed)\b|starts? (?:at|from|with) 0/i.test(description)
  return { by: 'page', ...placeOf(page), ...(isFromZero && { start: 0 }), ...defined({ total, more, pages }) }
}

function placeOf({ name, in: place }: Parameter): JsonObject {
  return { ...(place === 'body' && { in: 'body' }), param: name }
}

function isUrl({ type, format, example, description }: SchemaView): boolean {
  if (format === 'uri' || format === 'url' || /^https?:|^\//.test(String(example ?? ''))) return true
  return type === 'string' && /^(?:(?:the|a|full|absolute|relative) )*(?:url|uri|link)\b/i.test(description)
}

function parametersOf({ parameters, body, method }: ApiMethod): readonly Parameter[] {
  const members = method === 'get' || !body ? [] : [...body.members.keys()]
  const inBody = members.flatMap((name) => {
    const schema = body?.member(name)
    return !schema || schema.type === 'array' || (schema.type === 'object' && schema.members.size > 0)
      ? []
      : [{ name, in: 'body', description: schema.description, schema }]
  })
  return [...parameters.filter((each) => each.in === 'query'), ...inBody]
}

const MAX_SIZE = 10_000

/** The greatest page that the document states, in numbers or in words; without one, its default. */
function sizeOf({ name, description, schema }: Parameter): JsonObject {
  const isSize = (value: number) => Number.isInteger(value) && value > 0 && value <= MAX_SIZE
  const stated = [schema.maximum, statedMaximum(description), schema.default, schema.example].map(Number)
  const max = stated.find(isSize) ?? Math.max(...schema.values.map(Number).filter(isSize), 0)
  return max === 0 ? {} : { size: { param: name, max } }
}

function statedMaximum(description: string): string | undefined {
  const text = description.replaceAll(',', '')
  const found =
    /\bbetween \d{1,3} and (\d{1,5})\b/i.exec(text) ??
    /\b(?:max(?:imum)?|up to|at most|no more than|not exceed)\b[^.\d]{0,60}?(\d{1,5})/i.exec(text)
  return found?.[1]
}
