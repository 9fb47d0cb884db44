import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { htmlText, isHtml, oneLine } from './one-line.ts'
import { type Fault, faultsIn, faultsOf, messageText, nonEmptyText } from './problem-faults.ts'

/** The content of an error answer in any of the common shapes. */
export interface ServerProblem {
  /** One line, at most 500 characters; empty when the answer has no message. */
  readonly message: string
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** The path of the first member at fault: `lines.0.amount`. */
  readonly field: string | undefined
}

const MAX_TEXT_CHARS = 200
const NO_REASON = 'no reason given'
const NOTHING = { code: undefined, requestId: undefined, field: undefined }

/** `text` is the body, `json` what it parses to; undefined when it is not JSON. */
export function readProblem(text: string, json: JsonValue | undefined): ServerProblem {
  if (Array.isArray(json) && json.length === 0) return { message: NO_REASON, ...NOTHING }
  if (Array.isArray(json)) {
    const faults = faultsOf(json, '')
    const listed = listMessage(faults)
    const message = listed === '' ? plainText(text) : listed
    return { ...NOTHING, message, code: codeOf(json[0]), field: fieldOf(faults) }
  }
  if (!isJsonObject(json)) return { message: plainText(text), ...NOTHING }
  const inner = innerOf(json)
  const top = topMessage(json, inner)
  const faults = faultsIn(json, inner)
  const message = [top, listMessage(faults, top)].filter((part) => part !== '').join(': ')
  return {
    message: message !== '' ? oneLine(message) : Object.keys(json).length === 0 ? NO_REASON : plainText(text),
    code: codeOf(inner) ?? codeOf(json) ?? codeOf(Array.isArray(json.data) ? json.data[0] : undefined),
    requestId: requestIdIn(json) ?? requestIdIn(inner),
    field: topPlace(inner) ?? fieldOf(faults),
  }
}

/** OData 3: `odata.error`. */
function innerOf(json: JsonObject): JsonObject {
  return [json.error, json['odata.error']].find(isJsonObject) ?? json
}

/**
 * RFC 9457 `detail`, else `{error:{message,param}}` (Stripe), `{error,error_info}` (Pipedrive),
 * `{error,error_description}` (RFC 6749), `{message}` (HubSpot, Attio), and RFC 9457 `title` when nothing says more.
 */
function topMessage(json: JsonObject, inner: JsonObject): string {
  const more = nonEmptyText(json.error_description) ?? nonEmptyText(json.error_info)
  const error = nonEmptyText(json.error)
  if (error !== undefined && more !== undefined) return `${error}: ${more}`
  const stated =
    nonEmptyText(inner.detail) ?? messageText(inner.message) ?? nonEmptyText(inner.Message) ?? nonEmptyText(inner.msg)
  // Zendesk and Rails: `error` is the kind, and the description is beside it.
  const beside = nonEmptyText(json.description) ?? nonEmptyText(json.exception)
  const kind = error !== undefined && beside !== undefined ? `${error}: ${beside}` : (error ?? beside)
  const message = stated ?? kind ?? nonEmptyText(inner.errmsg) ?? nonEmptyText(inner.title) ?? codeOf(inner) ?? ''
  const place = topPlace(inner)
  return place === undefined ? message : atPlace(place, message)
}

/** Not `path` and `source`, which at the top level are those of the request. */
function topPlace({ param, field, target, attr, details }: JsonObject): string | undefined {
  const zoho = isJsonObject(details) ? nonEmptyText(details.api_name) : undefined
  return nonEmptyText(param) ?? nonEmptyText(field) ?? nonEmptyText(target) ?? nonEmptyText(attr) ?? zoho
}

/** The faults, each with its place, without those that `stated` already has. */
function listMessage(faults: readonly Fault[], stated = ''): string {
  const parts = faults
    .filter(({ place, message }) => !(stated.includes(message) && stated.includes(place)))
    .map(({ place, message }) => atPlace(place, message))
  return oneLine([...new Set(parts)].join('; '))
}

/** The message names the member only at its start or in quotes: "Enter a valid email address" may be about another one. */
function atPlace(place: string, message: string): string {
  const isNamed = message.startsWith(place) || ['"', "'", '`'].some((mark) => message.includes(mark + place + mark))
  return isNamed ? message : `${place}: ${message}`
}

function fieldOf(faults: readonly Fault[]): string | undefined {
  return faults.find(({ place }) => place !== '')?.place
}

/** `correlationId` is HubSpot's. */
function requestIdIn(json: JsonObject): string | undefined {
  const names = ['request_id', 'requestId', 'correlationId', 'correlation_id', 'trace_id', 'traceId']
  return names.map((name) => nonEmptyText(json[name])).find((id) => id !== undefined)
}

function codeOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined
  return nonEmptyText(value.code) ?? nonEmptyText(value.errorCode)
}

/** The beginning of a text, or what an HTML page shows. */
function plainText(text: string): string {
  return oneLine(isHtml(text) ? htmlText(text) : text, MAX_TEXT_CHARS)
}
