import { isJsonObject, type JsonObject } from '../core/json.ts'
import { RESOURCES } from '../core/resources/registry.ts'
import type { FoundList } from './find-list.ts'

/** What was found, in a line. */
export function summaryOf(
  { resource, path, records, reference: { isCut } }: FoundList,
  { fields, list }: JsonObject,
): string {
  const count = isCut ? `the first ${records.length} records were read` : `${records.length} records`
  const paging = isJsonObject(list) && isJsonObject(list.paging) ? list.paging : {}
  const how = paging.by === undefined ? 'paging open' : `paging ${pagingText(paging)}`
  const names = Object.entries(isJsonObject(fields) ? fields : {}).map(([name, made]) => fieldText(name, made))
  return `${RESOURCES[resource].plural}: ${path}; ${count}; ${how}; fields ${names.join(', ') || 'none'}`
}

function pagingText({ by, param, next, most }: JsonObject): string {
  return [
    `by ${String(by)}`,
    ...(param === undefined ? [] : [String(param)]),
    ...(next === undefined ? [] : [`from ${String(next)}`]),
    ...(most === undefined ? [] : [`below ${String(most)} records`]),
  ].join(' ')
}

function fieldText(name: string, made: unknown): string {
  const at = isJsonObject(made)
    ? (made.at ?? made.read ?? (Array.isArray(made.join) ? made.join.join(' + ') : name))
    : made
  return at === name ? name : `${name} (${String(at)})`
}

/** `example` of https://api.example.com. */
export function connectorNameAt({ hostname }: URL): string {
  const isAddress = /^[\d.]+$|:/.test(hostname)
  const own = hostname
    .split('.')
    .slice(0, -1)
    .filter((label) => /^[a-z0-9][a-z0-9-]*$/.test(label) && !/^(?:api|app|www|rest|com?|org|net)$/.test(label))
  return (isAddress ? undefined : own.at(-1)) ?? 'draft'
}
