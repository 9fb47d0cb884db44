import type { FieldError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { htmlText, isHtml, oneLine } from './one-line.ts'

/** The content of an error answer in any of the common shapes. */
export interface ServerProblem {
  /** One line, at most 500 characters; empty when the answer has no message. */
  readonly message: string
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** The path of the first member at fault: `lines.0.amount`. */
  readonly field: string | undefined
  /** All members at fault. */
  readonly fields: readonly FieldError[]
}

const MAX_TEXT_CHARS = 200
const NO_REASON = 'no reason given'
const NOTHING = { code: undefined, requestId: undefined, field: undefined, fields: [] }

/** `text` is the body, `json` what it parses to; undefined when it is not JSON. */
export function readProblem(text: string, json: JsonValue | undefined): ServerProblem {
  if (Array.isArray(json) && json.length === 0) return { message: NO_REASON, ...NOTHING }
  if (Array.isArray(json)) {
    const faults = faultsOf(json, '')
    const listed = listMessage(faults)
    const message = listed === '' ? plainText(text) : listed
    return { ...NOTHING, message, code: codeOf(json[0]), field: fieldOf(faults), fields: fieldErrors(faults) }
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
    fields: fieldErrors(fieldOf(faults) === undefined ? topFault(inner, top) : faults),
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

function topFault(inner: JsonObject, message: string): readonly Fault[] {
  const place = topPlace(inner)
  return place === undefined ? [] : [{ ...statedIn(inner), place, message }]
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

/** Members with faults, in an error object or beside it: a list, an object by member, or one fault. */
const PLACES = [
  ...['errors', 'details', 'detail', 'message', 'violations', 'issues', 'validation', 'validationErrors'],
  ...['validation_errors', 'validationResults', 'parameterViolations', 'propertyViolations', 'invalid_params'],
  ...[
    'invalid-params',
    'problems',
    'fieldErrors',
    'field-errors',
    'ModelState',
    'messages',
    'innererror',
    'innerError',
    'keyPattern',
  ],
]
/** In an object with one of these, all other members are ignored (LoopBack 3, Strapi, Google, zod, SAP). */
const CONTAINERS = ['messages', 'errors', 'fieldErrors', 'formErrors', 'fieldViolations', 'issues', 'errordetails']
/** Not names of members: marshmallow, Django, Rails and CakePHP use them instead of one. */
const TRANSPARENT =
  /^(?:json|body|query|form|params|payload|base|non_field_errors|nonFieldErrors|__all__|_.*|errors|messages|formErrors|fieldErrors)$/
const MESSAGE_NAMES = ['detail', 'message', 'msg', 'defaultMessage', 'description', 'errmsg', 'title', 'error']
const PLACE_NAMES = [
  'parameter',
  'param',
  'field',
  'property',
  'propertyPath',
  'propertyName',
  'attr',
  'target',
  'api_name',
]
const MAX_DEPTH = 6

/** All faults in order; `inner` is the error object within `json`, or `json` itself. */
function faultsIn(json: JsonObject, inner: JsonObject): readonly Fault[] {
  const holders = inner === json ? [json] : [json, inner]
  const found = holders.flatMap((holder) =>
    PLACES.flatMap((name) => {
      const value = holder[name]
      const isText = (name === 'detail' || name === 'message') && messageText(value) !== undefined
      return value === undefined || isText ? [] : name === 'keyPattern' ? keysOf(value) : faultsOf(value, '')
    }),
  )
  // Zoho: `data` has an outcome for each record.
  const { data } = json
  const outcomes = Array.isArray(data) ? data.filter((one) => isJsonObject(one) && one.status === 'error') : []
  const all = [...found, ...faultsOf(outcomes, '')]
  return all.length > 0 ? all : byMemberAlone(json)
}

/** Django REST framework and Rails: `{email: ["is missing"]}` and nothing else. */
function byMemberAlone(json: JsonObject): readonly Fault[] {
  const values = Object.values(json)
  return values.length > 0 && values.every(holdsTexts) ? faultsOf(json, '') : []
}

function holdsTexts(value: JsonValue): boolean {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((one) => typeof one === 'string' || (isJsonObject(one) && isOfTexts(one)))
  }
  return isJsonObject(value) && Object.keys(value).length > 0 && isOfTexts(value)
}

function isOfTexts(value: JsonObject): boolean {
  return Object.values(value).every(holdsTexts)
}

/** MongoDB: the members of a unique index. */
function keysOf(value: JsonValue): readonly Fault[] {
  if (!isJsonObject(value)) return []
  return Object.keys(value).map((place) => ({ place, message: 'already exists' }))
}

function faultsOf(value: JsonValue, place: string, depth = 0): readonly Fault[] {
  if (depth > MAX_DEPTH) return []
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ place, message: value }]
  if (Array.isArray(value)) {
    const isOfPlace = place !== '' && value.length > 0 && value.every((one) => typeof one === 'string')
    return isOfPlace ? [{ place, message: value.join(', ') }] : value.flatMap((one) => faultsOf(one, place, depth + 1))
  }
  return isJsonObject(value) ? faultsOfObject(value, place, depth) : []
}

function faultsOfObject(object: JsonObject, place: string, depth: number): readonly Fault[] {
  const held = CONTAINERS.filter((name) => isList(object[name]))
  if (held.length > 0) return held.flatMap((name) => faultsOf(object[name] ?? null, place, depth + 1))
  const own = placeOf(object)
  const message = messageOf(object)
  if (message !== undefined) return [{ ...statedIn(object), place: own === '' ? place : own, message }]
  // Other members of a fault, such as its value, are not faults.
  if (own !== '' || '@type' in object) return []
  return Object.entries(object).flatMap(([name, value]) => {
    const at = TRANSPARENT.test(name) ? place : [place, name].filter((part) => part !== '').join('.')
    return faultsOf(value, at, depth + 1)
  })
}

function isList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0
}

function messageOf(fault: JsonObject): string | undefined {
  // class-validator: `{property, constraints: {isEmail: "email must be an email"}}`.
  if (isJsonObject(fault.constraints)) return Object.values(fault.constraints).map(String).join(', ')
  for (const name of MESSAGE_NAMES) {
    const text = messageText(fault[name])
    if (text !== undefined) return text
  }
  return nonEmptyText(fault.code) ?? nonEmptyText(fault.errorCode)
}

/** OData 2 and 3: `{lang, value}`. */
function messageText(value: JsonValue | undefined): string | undefined {
  return nonEmptyText(isJsonObject(value) ? value.value : value)
}

/** `#/lines/0/amount` (RFC 6901, as a fragment or not) reads `lines.0.amount`. */
function placeOf(fault: JsonObject): string {
  for (const name of PLACE_NAMES) {
    const named = nonEmptyText(fault[name])
    if (named !== undefined) return named
  }
  const listed = [fault.fields, fault.keys].find(Array.isArray)
  if (listed) return listed.filter((field) => typeof field === 'string').join(', ')
  // FastAPI: the source, then the path; Joi, zod and Strapi: the path.
  if (Array.isArray(fault.loc)) return steps(fault.loc.length > 1 ? fault.loc.slice(1) : fault.loc)
  if (Array.isArray(fault.path)) return steps(fault.path)
  return placeInside(fault) ?? pointed(fault)
}

/** One level deeper in Zoho, HubSpot and Directus; in Google beside `locationType`; in LoopBack by Ajv. */
function placeInside({ details, context, extensions, info, locationType, location }: JsonObject): string | undefined {
  const within = (value: JsonValue | undefined, name: string) => {
    const found = isJsonObject(value) ? value[name] : undefined
    return nonEmptyText(Array.isArray(found) ? found[0] : found)
  }
  const named =
    within(details, 'api_name') ??
    within(context, 'propertyName') ??
    within(extensions, 'field') ??
    within(info, 'missingProperty')
  return named ?? (locationType === undefined ? undefined : nonEmptyText(location))
}

function pointed(fault: JsonObject): string {
  const source = isJsonObject(fault.source) ? fault.source : fault
  const pointer =
    nonEmptyText(source.pointer) ??
    nonEmptyText(source.parameter) ??
    nonEmptyText(fault.path) ??
    nonEmptyText(fault.instancePath)
  const found = (pointer ?? '').replace(/^#?\/?/, '').split('/')
  return found.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

function steps(path: readonly JsonValue[]): string {
  return path.filter((step) => typeof step === 'string' || typeof step === 'number').join('.')
}

function nonEmptyText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** One fault in an error answer. */
export interface Fault extends Partial<Omit<FieldError, 'detail'>> {
  /** The path of the member, such as `lines.0.amount`; empty when the answer names none. */
  readonly place: string
  readonly message: string
}

/** What a fault states in the members of RFC 9457 and of JSON:API: where it is, and its code. */
function statedIn(fault: JsonObject): Pick<Fault, 'pointer' | 'parameter' | 'code'> {
  const { pointer, parameter } = isJsonObject(fault.source) ? fault.source : fault
  const { code } = fault
  return {
    ...(typeof pointer === 'string' && /^#?\//.test(pointer) && { pointer: pointer.replace(/^#/, '') }),
    ...(typeof parameter === 'string' && parameter !== '' && { parameter }),
    ...(typeof code === 'string' && code !== '' && { code }),
  }
}

/** The faults that name a member or a parameter. */
export function fieldErrors(faults: readonly Fault[]): readonly FieldError[] {
  return faults.flatMap(({ place, message, code, pointer, parameter }) => {
    if (place === '') return []
    return {
      ...(parameter === undefined
        ? { pointer: oneLine(pointer ?? pointerTo(place)) }
        : { parameter: oneLine(parameter) }),
      ...(code !== undefined && { code: oneLine(code) }),
      detail: oneLine(message),
    }
  })
}

/** RFC 6901. Rails and PHP write `lines[0][amount]`. */
function pointerTo(place: string): string {
  const steps = place.replace(/\[([^\]]*)\]/g, '.$1').split('.')
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
