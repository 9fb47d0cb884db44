import { parseJsonAsWritten } from '../../core/exact-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { parseBodyText, readBody } from '../body.ts'
import { jsonText, type Members } from '../json-text.ts'
import { Problem } from '../problem.ts'
import type { Call } from '../route.ts'
import type { Asked } from './documents.ts'

/** What a request asks, from its body or its URL (https://graphql.github.io/graphql-over-http/draft/). */
export function readParams(call: Call): Asked {
  return call.method === 'GET' ? fromUrl(call) : fromBody(readBody(call))
}

function fromBody(body: Members): Asked {
  const valueFrom = (name: string): JsonValue => parseJsonAsWritten(jsonText(body.get(name) ?? 'null'))
  return asked(valueFrom('query'), valueFrom('operationName'), {
    variables: valueFrom('variables'),
    extensions: valueFrom('extensions'),
  })
}

function fromUrl({ query }: Call): Asked {
  const valueFrom = (text: string | undefined): JsonValue =>
    text === undefined || text === '' ? null : parseJsonAsWritten(jsonText(parseBodyText(text)))
  return asked(query.query ?? null, query.operationName ?? null, {
    variables: valueFrom(query.variables),
    extensions: valueFrom(query.extensions),
  })
}

function asked(
  query: JsonValue,
  operationName: JsonValue,
  objects: Record<'variables' | 'extensions', JsonValue>,
): Asked {
  if (typeof query !== 'string') throw badMember('query', 'a string')
  if (operationName !== null && typeof operationName !== 'string') throw badMember('operationName', 'a string or null')
  requireObject('extensions', objects.extensions)
  return { query, operationName: operationName ?? undefined, variables: requireObject('variables', objects.variables) }
}

function requireObject(name: string, value: JsonValue): JsonObject {
  if (value === null) return {}
  if (!isJsonObject(value)) throw badMember(name, 'an object or null')
  return value
}

function badMember(name: string, expected: string): Problem {
  const detail = `expected ${expected}`
  return new Problem(400, {
    code: 'malformed_request',
    detail: `${name}: ${detail}`,
    errors: [{ pointer: `#/${name}`, code: 'wrong_type', detail }],
  })
}
