import { parse } from 'yaml'
import { oneLine } from '../../api/errors/one-line.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts'
import { bestNamed } from '../names.ts'
import { Schemas, type SchemaView, schemaOfExample } from './schemas.ts'

const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

export type HttpMethod = (typeof HTTP_METHODS)[number]

export interface ApiParameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly description: string
  readonly schema: SchemaView
  /** Whether a list is sent as one parameter for each value. */
  readonly isRepeated: boolean
  readonly example: JsonValue | undefined
}

/** One operation of an OpenAPI document. */
export interface ApiMethod {
  readonly method: HttpMethod
  readonly path: string
  /** Summary, description and operation id. */
  readonly text: string
  readonly isDeprecated: boolean
  readonly parameters: readonly ApiParameter[]
  readonly body: SchemaView | undefined
  /** The body cannot be JSON. */
  readonly isForm: boolean
  /** Media types of body and answer that are JSON under a name of their own. */
  readonly bodyType: string | undefined
  readonly answerType: string | undefined
  /** Of the first 2xx with a body. */
  readonly answer: SchemaView | undefined
  /** Each 2xx is one without a body, such as 204. */
  readonly isAnswerEmpty: boolean
  readonly hasLinkHeader: boolean
  /** Undefined: that of the document. */
  readonly security: JsonValue | undefined
}

/** An OpenAPI 3.x document, whose operations are read on demand. */
export class ApiDescription {
  readonly document: JsonObject
  readonly schemas: Schemas
  readonly paths: readonly string[]
  /** By the path above, without slashes at its ends. */
  readonly #below: ReadonlyMap<string, readonly string[]>
  readonly #methods = new Map<string, ReadonlyMap<HttpMethod, ApiMethod>>()

  constructor(document: JsonObject) {
    this.document = document
    this.schemas = new Schemas(document)
    this.paths = Object.keys(objectOf(document.paths)).filter((path) => path.startsWith('/'))
    this.#below = Map.groupBy(this.paths, (path) => bare(path).replace(/(?:^|\/)[^/]*$/, ''))
  }

  /** The paths with one segment more. */
  below(path: string): readonly string[] {
    return this.#below.get(bare(path)) ?? []
  }

  method(path: string, method: HttpMethod): ApiMethod | undefined {
    return this.methods(path).get(method)
  }

  methods(path: string): ReadonlyMap<HttpMethod, ApiMethod> {
    const known = this.#methods.get(path)
    if (known) return known
    const paths = objectOf(this.document.paths)
    const item = Object.hasOwn(paths, path) ? this.schemas.resolved(paths[path]) : undefined
    const found = HTTP_METHODS.flatMap((method): readonly (readonly [HttpMethod, ApiMethod])[] => {
      const operation = item && Object.hasOwn(item, method) ? item[method] : undefined
      return isJsonObject(operation) ? [[method, this.#read(path, method, [item?.parameters, operation])]] : []
    })
    const methods = new Map(found)
    this.#methods.set(path, methods)
    return methods
  }

  #read(
    path: string,
    method: HttpMethod,
    [shared, operation]: readonly [JsonValue | undefined, JsonObject],
  ): ApiMethod {
    const body = this.schemas.resolved(operation.requestBody)
    const content = mediaOf(body)
    const answers = Object.entries(objectOf(operation.responses))
    const good = answers
      .filter(([name]) => name.startsWith('2'))
      .map(([, answer]) => this.schemas.resolved(answer))
      .find(mediaOf)
    const texts = [operation.summary, operation.operationId, operation.description, body?.description]
    return {
      method,
      path,
      text: texts.filter((text) => typeof text === 'string').join('\n'),
      isDeprecated: operation.deprecated === true,
      parameters: this.#parameters([shared, operation.parameters]),
      body: content && this.#content(content),
      isForm: content?.isJson === false,
      bodyType: ownType(content),
      answerType: ownType(mediaOf(good)),
      answer: this.#content(mediaOf(good)),
      isAnswerEmpty: !good && answers.some(([name]) => /^20[45]$/.test(name)),
      hasLinkHeader: Object.keys(objectOf(good?.headers)).some((name) => /^link$/i.test(name)),
      security: operation.security,
    }
  }

  /** Those of an operation replace those of its path. */
  #parameters(lists: readonly (JsonValue | undefined)[]): readonly ApiParameter[] {
    const found = new Map<string, ApiParameter>()
    for (const entry of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
      const parameter = this.schemas.resolved(entry)
      if (typeof parameter?.name !== 'string' || typeof parameter.in !== 'string') continue
      const schema = this.schemas.view(parameter.schema ?? mediaOf(parameter)?.media.schema)
      found.set(`${parameter.in} ${parameter.name}`, {
        name: parameter.name,
        in: parameter.in,
        isRequired: parameter.required === true,
        description: typeof parameter.description === 'string' ? parameter.description : schema.description,
        schema,
        isRepeated: schema.type === 'array' && parameter.explode !== false,
        example: parameter.example ?? firstExample(parameter.examples) ?? schema.example,
      })
    }
    return [...found.values()]
  }

  #content(content: Media | undefined): SchemaView | undefined {
    if (!content) return undefined
    const { schema, example: own, examples } = content.media
    const example = own ?? firstExample(examples)
    if (example === undefined || typeof example !== 'object') return this.schemas.view(schema)
    return this.schemas.view({ allOf: [schema ?? {}, schemaOfExample(example)] })
  }
}

/** The parameter of the query with the best of these names. */
export function parameterNamed({ parameters }: ApiMethod, names: readonly string[]): ApiParameter | undefined {
  return bestNamed(
    parameters.filter((each) => each.in === 'query'),
    names,
  )
}

function bare(path: string): string {
  return path.replace(/^\/+|\/+$/g, '')
}

/** `{ one: { value: ... } }`. */
function firstExample(examples: JsonValue | undefined): JsonValue | undefined {
  const [first] = Object.values(objectOf(examples))
  return objectOf(first).value
}

interface Media {
  readonly type: string
  readonly media: JsonObject
  readonly isJson: boolean
}

/** The JSON body if there is one. */
function mediaOf(part: JsonObject | undefined): Media | undefined {
  const all = Object.entries(objectOf(part?.content))
  const json = all.find(([type]) => /^(?:application\/json|\*\/\*|[^;]+\+json)/i.test(type))
  const [type, media] = json ?? all[0] ?? []
  return type !== undefined && isJsonObject(media) ? { type, media, isJson: json !== undefined } : undefined
}

/** JSON of another name, such as that of JSON:API. */
function ownType(media: Media | undefined): string | undefined {
  return /^[\w.-]+\/[\w.-]+\+json(?=\s*(?:;|$))/i.exec(media?.type ?? '')?.[0]
}

export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

const NAME_DOCUMENT = 'name the OpenAPI document of the server, JSON or YAML'

/** Reads an OpenAPI 3.x document, JSON or YAML. CrmError `invalid_input` for anything else; `source` names it. */
export function readDescription(bytes: Uint8Array, source: string): ApiDescription {
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(source)
  const document = parsed(new TextDecoder().decode(bytes), source)
  const { openapi: version, swagger } = objectOf(document)
  if (!isJsonObject(document) || typeof version !== 'string' || !version.startsWith('3.')) {
    const found = version === undefined ? 'no member openapi' : `openapi ${oneLine(JSON.stringify(version), 40)}`
    const what = swagger === undefined ? found : `Swagger ${String(swagger)}`
    throw new CrmError('invalid_input', `${source} has ${what}, expected an OpenAPI document of version 3.0 or 3.1`, {
      hint: swagger === undefined ? NAME_DOCUMENT : 'convert it first, for example with: npx swagger2openapi FILE',
    })
  }
  const api = new ApiDescription(document)
  if (api.paths.length > 0) return api
  throw new CrmError('invalid_input', `${source} describes no paths`, { hint: NAME_DOCUMENT })
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
    const [reason = ''] = (cause as Error).message.split('\n')
    throw new CrmError('invalid_input', `${source} is not valid JSON or YAML: ${oneLine(reason, 160)}`, {
      cause,
      hint: NAME_DOCUMENT,
    })
  }
}
