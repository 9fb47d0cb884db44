import { isUtf8 } from 'node:buffer'
import { type JsonNode, JsonTextError, type Members, parseSentJson } from './json-text.ts'
import { invalidValue, Problem, quotedValue } from './problem.ts'
import type { RouteCall } from './route.ts'

const JSON_TYPE = 'application/json'

/** A PATCH is a merge patch with either type. */
const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE]

/** The JSON object in the body of a POST or PATCH. */
export function readBody(call: RouteCall): Members {
  if (!call.body?.length) throw new Problem(400, 'body_required', 'expected a JSON object as the body')
  if (!isSupported(call)) throw unsupportedType(call.method)
  if (!isUtf8(call.body)) throw new Problem(400, 'malformed_body', 'the body is not UTF-8')
  const node = parseBodyText(call.body.toString('utf8'))
  if (typeof node !== 'string') return node
  throw invalidValue('#', 'wrong_type', `expected an object, got ${quotedValue(node)}`)
}

function unsupportedType(method: string): Problem {
  return new Problem(
    415,
    'unsupported_media_type',
    `expected Content-Type: ${typesFor(method).join(' or ')}, in UTF-8 and not compressed`,
    method === 'PATCH' ? { headers: { 'accept-patch': PATCH_TYPES.join(', ') } } : {},
  )
}

function typesFor(method: string): readonly string[] {
  return method === 'PATCH' ? PATCH_TYPES : [JSON_TYPE]
}

function isSupported({ method, headers }: RouteCall): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charsets = parameters.filter((parameter) => /^\s*charset=/.test(parameter))
  return (
    typesFor(method).includes(type.trim()) &&
    charsets.every((parameter) => /=\s*"?utf-?8"?\s*$/.test(parameter)) &&
    (headers['content-encoding'] ?? 'identity') === 'identity'
  )
}

/** Parses JSON from a client. Throws a Problem with the position of the error. */
export function parseBodyText(text: string): JsonNode {
  try {
    return parseSentJson(text)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    const detail = `the body is not valid JSON at character ${error.position}: ${error.message}`
    const code = error.fault === 'malformed' ? 'malformed_json' : error.fault
    // A number beyond the range of a double is well-formed JSON with an unsupported value.
    throw new Problem(error.fault === 'out_of_range' ? 422 : 400, code, detail, {
      errors: [{ pointer: '#', code, detail: error.message }],
    })
  }
}
