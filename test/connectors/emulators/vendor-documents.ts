import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import type { Reply } from './ask.ts'

type Node = Record<string, unknown>

const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete'])

/** A vendor's OpenAPI document as the judge of requests and answers. */
export class VendorDocument {
  readonly #document: Node
  readonly #base: string
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

  /** `base` is the path before those of the document. */
  constructor(folder: string, file: string, base: string) {
    const text = readFileSync(join(folder, file), 'utf8')
    const document = file.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1, logLevel: 'error' })
    this.#document = withNull(document) as Node
    this.#base = base
    this.#ajv.addSchema(this.#document, 'document')
  }

  /** What the document says against this exchange; nothing is an empty list. */
  complaints(line: string, json: unknown, { status, body }: Reply): string[] {
    const [method = ''] = line.split(' ')
    const at = ['paths', this.#template(this.#path(line)) ?? '', method.toLowerCase()]
    if (!this.#node(at)) return [`${line}: not in the document`]
    const schema = ['content', 'application/json', 'schema']
    const sent = status < 300 && json !== undefined ? this.#broken([...at, 'requestBody', ...schema], json) : []
    const answers = [String(status), 'default'].map((key) => [...at, 'responses', key])
    const answer = answers.find((place) => this.#node(place))
    if (!answer) return [`${line}: ${status} is not in the document`]
    return [...sent.map((said) => `sent ${said}`), ...this.#broken([...answer, ...schema], body)].map(
      (said) => `${line}: ${said}`,
    )
  }

  /** The operations of the document at the paths of these requests. */
  operations(lines: readonly string[]): string[] {
    const templates = new Set(lines.map((line) => this.#template(this.#path(line)) ?? ''))
    return [...templates].flatMap((template) => {
      const methods = Object.keys((this.#document.paths as Record<string, Node>)[template] ?? {})
      return methods.filter((name) => METHODS.has(name)).map((name) => `${name.toUpperCase()} ${template}`)
    })
  }

  operation(line: string): string {
    return `${line.split(' ')[0]} ${this.#template(this.#path(line))}`
  }

  #path(line: string): string {
    return (line.split(' ')[1] ?? '').replace(/\?.*/, '').slice(this.#base.length)
  }

  #template(path: string): string | undefined {
    const templates = Object.keys(this.#document.paths as Node)
    const fitting = templates.filter((template) =>
      new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
    )
    return fitting.sort((a, b) => a.split('{').length - b.split('{').length)[0]
  }

  #broken(at: readonly string[], value: unknown): string[] {
    const found = this.#resolve(at)
    if (!found || !this.#node(found)) return []
    const pointer = found.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = this.#ajv.compile({ $ref: `document#/${pointer}` })
    if (validate(value)) return []
    // The documents seldom say that a member without a value is null; of next_cursor only the prose does.
    const errors = (validate.errors ?? []).filter(({ instancePath }) => valueAt(value, instancePath) !== null)
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  #node(at: readonly string[]): unknown {
    const found = this.#resolve(at)
    return found?.reduce<unknown>((node, part) => (node as Node | undefined)?.[part], this.#document)
  }

  /** The same place past each $ref on the way. */
  #resolve(at: readonly string[]): readonly string[] | undefined {
    let place: readonly string[] = []
    for (const part of at) {
      const node = place.reduce<unknown>((inner, key) => (inner as Node)[key], this.#document) as Node
      if (typeof node !== 'object' || node === null) return undefined
      const target = typeof node.$ref === 'string' ? node.$ref.slice(2).split('/') : place
      place = [...target, part]
      const next = place.reduce<unknown>((inner, key) => (inner as Node | undefined)?.[key], this.#document)
      if (next === undefined) return undefined
    }
    return place
  }
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (inner as Node | undefined)?.[key], value)
}

/** `nullable` of OpenAPI 3.0 as a type of JSON Schema. */
function withNull(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNull)
  if (typeof node !== 'object' || node === null) return node
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withNull(value)]))
  if (nullable !== true) return nullable === undefined ? rest : { ...rest, nullable }
  return { anyOf: [rest, { type: 'null' }] }
}
