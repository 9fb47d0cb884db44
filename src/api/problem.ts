import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { htmlText, isHtml } from './html.ts'
import { oneLine } from './one-line.ts'

/** What an error answer says, whichever of the common shapes it has. */
export interface Problem {
  /** One line, at most 500 characters; empty when the answer says nothing. */
  readonly message: string
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** The first place that it is about: `lines.0.amount`. */
  readonly field: string | undefined
}

const MAX_TEXT_CHARS = 200
const NO_REASON = 'no reason given'
const NOTHING = { code: undefined, requestId: undefined, field: undefined }

/** `text` is the body, `json` what it parses to; undefined when it is not JSON. */
export function readProblem(text: string, json: JsonValue | undefined): Problem {
  if (Array.isArray(json) && json.length === 0) return { message: NO_REASON, ...NOTHING }
  if (Array.isArray(json))
    return { ...NOTHING, message: listMessage(json), code: codeOf(json[0]), field: fieldOf(json) }
  if (!isJsonObject(json)) return { message: plainText(text), ...NOTHING }
  const inner = isJsonObject(json.error) ? json.error : json
  const top = topMessage(json, inner)
  const listed = listMessage(json.errors ?? inner.errors, top)
  const message = [top, listed].filter((part) => part !== '').join(': ')
  return {
    message: message !== '' ? oneLine(message) : Object.keys(json).length === 0 ? NO_REASON : plainText(text),
    code: codeOf(inner) ?? codeOf(json),
    requestId: requestIdIn(json) ?? requestIdIn(inner),
    field: textOf(inner.param) ?? fieldOf(json.errors ?? inner.errors),
  }
}

/**
 * RFC 9457 `detail`, else `{error:{message,param}}` (Stripe), `{error,error_info}` (Pipedrive),
 * `{error,error_description}` (RFC 6749), `{message}` (HubSpot, Attio), and RFC 9457 `title` when nothing says more.
 */
function topMessage(json: JsonObject, inner: JsonObject): string {
  const more = textOf(json.error_description) ?? textOf(json.error_info)
  const error = textOf(json.error)
  if (error !== undefined && more !== undefined) return `${error}: ${more}`
  const message = textOf(inner.detail) ?? textOf(inner.message) ?? error ?? textOf(inner.title) ?? codeOf(inner) ?? ''
  const param = textOf(inner.param)
  return param === undefined || message.includes(param) ? message : `${param}: ${message}`
}

/**
 * The entries of `errors`, each with the place it is about; what `said` holds already is not said again. Some have them
 * by place: `{name: ["is missing"]}`.
 */
function listMessage(errors: JsonValue | undefined, said = ''): string {
  if (isJsonObject(errors)) {
    const named = Object.entries(errors).map(([field, messages]) => ({ field, message: [messages].flat().join(', ') }))
    return listMessage(named, said)
  }
  if (!Array.isArray(errors)) return ''
  const parts = errors.map(entryMessage).filter((part) => part !== '' && !said.includes(part))
  return oneLine([...new Set(parts)].join('; '))
}

function entryMessage(entry: JsonValue): string {
  if (typeof entry === 'string') return entry
  if (!isJsonObject(entry)) return ''
  const message = textOf(entry.detail) ?? textOf(entry.message) ?? textOf(entry.title) ?? codeOf(entry) ?? ''
  const place = placeOf(entry)
  return place === '' || message.includes(place) ? message : `${place}: ${message}`
}

function fieldOf(errors: JsonValue | undefined): string | undefined {
  if (isJsonObject(errors)) return Object.keys(errors)[0]
  const first = Array.isArray(errors) ? errors[0] : undefined
  return isJsonObject(first) ? placeOf(first) || undefined : undefined
}

/** `#/lines/0/amount` (RFC 6901, as a fragment or not) reads `lines.0.amount`. */
function placeOf(entry: JsonObject): string {
  const named = textOf(entry.parameter) ?? textOf(entry.param) ?? textOf(entry.field)
  if (named !== undefined) return named
  if (Array.isArray(entry.fields)) return entry.fields.filter((field) => typeof field === 'string').join(', ')
  const source = isJsonObject(entry.source) ? entry.source : entry
  const steps = (textOf(source.pointer) ?? textOf(source.parameter) ?? '').replace(/^#?\/?/, '').split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

/** `correlationId` is HubSpot's. */
function requestIdIn(json: JsonObject): string | undefined {
  const names = ['request_id', 'requestId', 'correlationId', 'correlation_id', 'trace_id', 'traceId']
  return names.map((name) => textOf(json[name])).find((id) => id !== undefined)
}

function codeOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined
  return textOf(value.code) ?? textOf(value.errorCode)
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The beginning of a text, or what an HTML page shows. */
function plainText(text: string): string {
  return oneLine(isHtml(text) ? htmlText(text) : text, MAX_TEXT_CHARS)
}
