import { Buffer } from 'node:buffer'
import type { Api } from '../../api/api.ts'
import type { Method } from '../../api/transport/call.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { isHeaderName, isHeaderValue, isTransportHeader } from '../../core/http-rules.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import { timeOrderedUuid } from '../../core/time-ordered-uuid.ts'
import { readInput } from '../../settings/read-input.ts'
import { readMembers } from '../fields-input.ts'

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface RequestFlags {
  readonly field?: readonly string[]
  readonly jsonField?: readonly string[]
  readonly input?: string
  readonly header?: readonly string[]
  readonly idempotencyKey?: string
}

export interface Request {
  readonly method: Method
  /** Path and query. */
  readonly path: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
}

/** Fields are the body of a write, or query parameters if there is another body or none. */
export async function readRequest(ctx: Context, words: readonly string[], flags: RequestFlags): Promise<Request> {
  const { method, path } = lineOf(words, flags)
  const fields = readMembers(flags.field ?? [], flags.jsonField ?? [])
  const headers = readHeaders(flags.header ?? [])
  const hasFields = Object.keys(fields).length > 0
  const isFieldsBody = hasFields && flags.input === undefined && method !== 'GET' && method !== 'HEAD'
  const input = flags.input === undefined ? undefined : await readInput(ctx, flags.input, '--input')
  const body = isFieldsBody ? JSON.stringify(fields) : input
  const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type')
  const typed =
    body === undefined || hasType ? headers : [...headers, { name: 'Content-Type', value: 'application/json' }]
  const given = headers.find(({ name }) => name.toLowerCase() === 'idempotency-key')
  return {
    method,
    path: isFieldsBody || !hasFields ? path : withParameters(path, fields),
    headers: typed.filter((header) => header !== given).flatMap(({ name, value }) => [name, value]),
    body,
    idempotencyKey: flags.idempotencyKey ?? given?.value ?? newIdempotencyKey(method),
  }
}

/** A new key for the methods that send one. */
function newIdempotencyKey(method: Method): string | undefined {
  return method === 'POST' || method === 'PATCH' ? timeOrderedUuid() : undefined
}

/** `[method] <path>`: without a method, a body is posted. The slash at the start of a path may be left out. */
function lineOf(words: readonly string[], { field, jsonField, input }: RequestFlags): Pick<Request, 'method' | 'path'> {
  const [first = '', second] = words
  if (second === undefined && METHODS.some((each) => each === first.toUpperCase())) {
    throw new CrmError('usage', `expected a path, or a method and a path, and not ${first} alone`, {
      hint: 'such as: crm api /v1/contacts, or crm api DELETE /v1/contacts/con_0abc',
    })
  }
  const hasBody = field !== undefined || jsonField !== undefined || input !== undefined
  const path = second ?? first
  const isBare = /^[^/\\]/.test(path) && !/^[a-z][a-z\d+.-]*:/i.test(path)
  return {
    method: second === undefined ? (hasBody ? 'POST' : 'GET') : checkMethod(first),
    path: isBare ? `/${path}` : path,
  }
}

function checkMethod(text: string): Method {
  const method = METHODS.find((each) => each === text.toUpperCase())
  if (method) return method
  throw new CrmError('usage', `${JSON.stringify(text)} is not a method`, {
    hint: `expected ${METHODS.join(', ')}, such as: crm api GET /v1/contacts`,
  })
}

interface Header {
  readonly name: string
  readonly value: string
}

function readHeaders(texts: readonly string[]): readonly Header[] {
  return texts.map((text) => {
    const [, name = '', value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? []
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new CrmError('usage', `-H ${JSON.stringify(text)} is not a header`, { hint: "expected -H 'Name: value'" })
    }
    if (isTransportHeader(name) || name.toLowerCase() === 'authorization') {
      throw new CrmError('usage', `-H cannot set ${name}`, { hint: ownHeaderHint(name) })
    }
    return { name, value }
  })
}

function ownHeaderHint(name: string): string {
  return name.toLowerCase() === 'authorization'
    ? 'the key comes from the profile, CRM_API_KEY or --key-file, and is sent to their server only'
    : 'leave it out: crm sets it itself'
}

function withParameters(path: string, fields: JsonObject): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const isNested = isJsonObject(value) || Array.isArray(value)
    parameters.append(name, isNested ? JSON.stringify(value) : String(value))
  }
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`
}

/** What stands for the key, outside of single quotes. */
const KEY = '$CRM_API_KEY'

/** The request as a curl command, with a variable in place of the key. */
export function curlCommand(
  { method, headers, body, idempotencyKey }: Request,
  url: URL,
  { connector, terms }: Pick<Api, 'connector' | 'terms'>,
): string {
  const credentials = connector.credentials(KEY)
  const parameters = credentials.query.map((pair) => pair.join('=')).join('&')
  const address =
    parameters === '' ? shellWord(url.href) : doubleQuoted(`${url.href}${url.search === '' ? '?' : '&'}${parameters}`)
  const words = ['curl', '-sS', ...methodWords(method), address]
  for (const [name, value] of pairs(credentials.headers)) words.push(...signIn(name, value))
  const own = pairs(headers)
  const isAsked = own.some(([name]) => name.toLowerCase() === 'accept')
  const accepted = isAsked ? [] : [['Accept', 'application/json'] as const]
  for (const [name, value] of [...accepted, ...own]) words.push('-H', shellWord(`${name}: ${value}`))
  if (idempotencyKey !== undefined) words.push('-H', shellWord(`${terms.idempotencyHeader}: ${idempotencyKey}`))
  if (body !== undefined) words.push('--data-raw', shellWord(body))
  return words.join(' ')
}

/** Of alternating names and values. */
function pairs(headers: readonly string[]): (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
}

/** curl encodes a user and a password itself. */
function signIn(name: string, value: string): readonly string[] {
  const [, pair] = /^Basic (.*)$/.exec(value) ?? []
  return pair === undefined
    ? ['-H', doubleQuoted(`${name}: ${value}`)]
    : ['-u', doubleQuoted(Buffer.from(pair, 'base64').toString('utf8'))]
}

function doubleQuoted(text: string): string {
  return `"${text
    .split(KEY)
    .map((part) => part.replace(/[\\"$`]/g, '\\$&'))
    .join(KEY)}"`
}

function methodWords(method: Request['method']): readonly string[] {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['-I'] : ['-X', method]
}
