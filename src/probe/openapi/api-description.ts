import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { Schemas, type SchemaView, schemaOfExample } from './schemas.ts'

export const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

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
  /** In lower case. */
  readonly answerHeaders: readonly string[]
  readonly refusals: readonly SchemaView[]
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
    this.paths = Object.keys(isJsonObject(document.paths) ? document.paths : {}).filter((path) => path.startsWith('/'))
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
    const { paths } = this.document
    const item = isJsonObject(paths) && Object.hasOwn(paths, path) ? this.schemas.resolved(paths[path]) : undefined
    const found = new Map<HttpMethod, ApiMethod>()
    for (const method of HTTP_METHODS) {
      const operation = item && Object.hasOwn(item, method) ? item[method] : undefined
      if (item && isJsonObject(operation)) found.set(method, this.#read(path, method, { item, operation }))
    }
    this.#methods.set(path, found)
    return found
  }

  #read(
    path: string,
    method: HttpMethod,
    { item, operation }: { readonly item: JsonObject; readonly operation: JsonObject },
  ): ApiMethod {
    const body = this.schemas.resolved(operation.requestBody)
    const content = mediaOf(body)
    const answers = isJsonObject(operation.responses) ? Object.entries(operation.responses) : []
    const read = (code: RegExp) =>
      answers
        .filter(([name]) => code.test(name))
        .flatMap(([, answer]): readonly JsonObject[] => listed(this.schemas.resolved(answer)))
    const [good] = read(/^2/).filter((answer) => mediaOf(answer) !== undefined)
    const texts = [operation.summary, operation.operationId, operation.description, body?.description]
    return {
      method,
      path,
      text: texts.filter((text) => typeof text === 'string').join('\n'),
      isDeprecated: operation.deprecated === true,
      parameters: this.#parameters(item.parameters, operation.parameters),
      body: content && this.#content(content.media),
      isForm: content !== undefined && !content.isJson,
      bodyType: ownType(content?.type),
      answerType: ownType(mediaOf(good)?.type),
      answer: this.#content(mediaOf(good)?.media),
      isAnswerEmpty: !good && answers.some(([name]) => /^20[45]$/.test(name)),
      answerHeaders: Object.keys(isJsonObject(good?.headers) ? good.headers : {}).map((name) => name.toLowerCase()),
      refusals: read(/^4|^default$/).flatMap((answer) => this.#content(mediaOf(answer)?.media) ?? []),
      security: operation.security,
    }
  }

  /** Those of an operation replace those of its path. */
  #parameters(...lists: readonly (JsonValue | undefined)[]): readonly ApiParameter[] {
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

  #content(media: JsonObject | undefined): SchemaView | undefined {
    if (!media) return undefined
    const example = media.example ?? firstExample(media.examples)
    if (example === undefined || typeof example !== 'object') return this.schemas.view(media.schema)
    return this.schemas.view({ allOf: [media.schema ?? {}, schemaOfExample(example)] })
  }
}

/** Without slashes at its ends. */
function bare(path: string): string {
  return path.replace(/^\/+|\/+$/g, '')
}

function listed(value: JsonObject | undefined): readonly JsonObject[] {
  return value ? [value] : []
}

/** `{ one: { value: ... } }`. */
function firstExample(examples: JsonValue | undefined): JsonValue | undefined {
  const [first] = isJsonObject(examples) ? Object.values(examples) : []
  return isJsonObject(first) ? first.value : undefined
}

interface Media {
  readonly type: string
  readonly media: JsonObject
  readonly isJson: boolean
}

/** The JSON body if there is one. */
function mediaOf(part: JsonObject | undefined): Media | undefined {
  const content = part?.content
  const all = isJsonObject(content) ? Object.entries(content) : []
  const json = all.find(([type]) => /^(?:application\/json|\*\/\*|[^;]+\+json)/i.test(type))
  const [type, media] = json ?? all[0] ?? []
  return type !== undefined && isJsonObject(media) ? { type, media, isJson: json !== undefined } : undefined
}

/** JSON of another name, such as that of JSON:API. */
function ownType(type: string | undefined): string | undefined {
  return /^[\w.-]+\/[\w.-]+\+json\s*(?:;|$)/i.exec(type ?? '')?.[0].replace(/\s*;$/, '')
}
