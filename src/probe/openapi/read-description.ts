import { parse, YAMLParseError } from 'yaml'
import { oneLine } from '../../api/errors/one-line.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonValue } from '../../core/json.ts'
import { ApiDescription } from './api-description.ts'

export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

/** Reads an OpenAPI 3.x document, JSON or YAML. CrmError `invalid_input` for anything else; `source` names it. */
export function readDescription(bytes: Uint8Array, source: string): ApiDescription {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(source)
  const document = parsed(new TextDecoder().decode(bytes), source)
  const version = isJsonObject(document) ? document.openapi : undefined
  if (!isJsonObject(document) || typeof version !== 'string' || !version.startsWith('3.')) {
    const isSwagger = isJsonObject(document) && document.swagger !== undefined
    const found =
      version === undefined
        ? isSwagger
          ? `Swagger ${String(document.swagger)}`
          : 'no member openapi'
        : `openapi ${oneLine(JSON.stringify(version), 40)}`
    throw new CrmError('invalid_input', `${source} has ${found}, expected an OpenAPI document of version 3.0 or 3.1`, {
      hint: isSwagger
        ? 'convert it first, for example with: npx swagger2openapi FILE'
        : 'name the OpenAPI document of the server, JSON or YAML',
    })
  }
  const api = new ApiDescription(document)
  if (api.paths.length > 0) return api
  throw new CrmError('invalid_input', `${source} describes no paths`, {
    hint: 'name the OpenAPI document of the server',
  })
}

export function tooLarge(source: string): CrmError {
  return new CrmError('invalid_input', `${source} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB`, {
    hint: 'keep the paths of contacts, deals, notes, pipelines and webhooks, and what they refer to',
  })
}

function parsed(text: string, source: string): JsonValue {
  try {
    return /^\s*\{/.test(text)
      ? (JSON.parse(text) as JsonValue)
      : parse(text, { logLevel: 'error', prettyErrors: true, uniqueKeys: false })
  } catch (cause) {
    if (
      !(cause instanceof SyntaxError) &&
      !(cause instanceof YAMLParseError) &&
      !(cause instanceof RangeError) &&
      !(cause instanceof ReferenceError)
    )
      throw cause
    const [reason = ''] = cause.message.split('\n')
    throw new CrmError('invalid_input', `${source} is not valid JSON or YAML: ${oneLine(reason, 160)}`, {
      cause,
      hint: 'name the OpenAPI document of the server, JSON or YAML',
    })
  }
}
