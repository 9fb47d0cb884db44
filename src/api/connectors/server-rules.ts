import { Buffer } from 'node:buffer'
import type { ConnectorDocument, FailureMeaning } from '../../connector/document.ts'
import { compilePath, optionalPath, type Path, readAll, readFirst } from '../../connector/paths.ts'
import { compileTemplate, fillText, headerText, type TemplateValues } from '../../connector/templates.ts'
import { isSameJson, type JsonValue } from '../../core/json.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ServerProblem } from '../errors/problem.ts'
import { type Fault, fieldErrors } from '../errors/problem.ts'

// What a connector says of its server as a whole: how the key is sent, what refusals mean, which settings it replaces.

/** How the key is sent with every request. */
export interface Credentials {
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** `{key}` exists in these templates alone. */
export function compileCredentials(
  { auth }: ConnectorDocument,
  variables: TemplateValues,
): (key: string) => Credentials {
  const filling = (text: string) => {
    const template = compileTemplate(text)
    return (key: string) => fillText(template, { ...variables, key })
  }
  if (auth.in === 'bearer') return (key) => ({ headers: ['Authorization', `Bearer ${key}`], query: [] })
  if (auth.in === 'basic') {
    const [user, password] = [filling(auth.user), filling(auth.password)]
    const pair = (key: string) => Buffer.from(`${user(key)}:${password(key)}`).toString('base64')
    return (key) => ({ headers: ['Authorization', `Basic ${pair(key)}`], query: [] })
  }
  const { name } = auth
  const value = filling(auth.value)
  return auth.in === 'query'
    ? (key) => ({ headers: [], query: [[name, value(key)]] })
    : (key) => ({ headers: [name, headerText(name, value(key))], query: [] })
}

/** What the refusals of a server mean, as its connector declares. */
export interface ErrorRules {
  /** The parts that the connector names and the answer has. */
  problem(json: JsonValue | undefined): Partial<ServerProblem>
  /** Undefined: by the status, as without a connector. */
  meaning(status: number, json: JsonValue | undefined): FailureMeaning | undefined
  /** Whether the connector names this 2xx, with what the answer has, as a refusal. */
  isRefusal(status: number, json: JsonValue | undefined): boolean
}

/** Undefined if the connector declares nothing about refusals. */
export function createErrorRules({ error }: ConnectorDocument): ErrorRules | undefined {
  const { message, code, request, fields, kinds } = error
  if (!(message || code || request || fields) && kinds.length === 0) return undefined
  const pathsOf = (texts: readonly string[] = []) => texts.map(compilePath)
  const at = { message: pathsOf(message), code: pathsOf(code), requestId: optionalPath(request) }
  const faults = fields && {
    items: pathsOf(fields.items),
    name: optionalPath(fields.name),
    message: optionalPath(fields.message),
  }
  const tests = kinds.map(({ status, when, means }) => ({
    status,
    when: when && { at: pathsOf(when.at), is: when.is },
    means,
  }))
  return {
    problem: (json) => {
      if (json === undefined) return {}
      const listed = faults ? faults.items.flatMap((items) => readAll(items, json)) : []
      const [fault] = listed
      const field = fault !== undefined && faults?.name ? textAt(faults.name, fault) : undefined
      const detail = fault !== undefined && faults?.message ? textAt(faults.message, fault) : undefined
      const main = firstText(at.message, json)
      const text = [main, detail].filter((part) => part !== undefined && part !== '').join(': ')
      return {
        ...(text !== '' && { message: oneLine(text) }),
        ...(listed.length > 0 && { fields: fieldErrors(listed.map((each) => faultAt(faults, each))) }),
        ...defined('code', firstText(at.code, json)),
        ...defined('requestId', at.requestId && textAt(at.requestId, json)),
        ...defined('field', field),
      }
    },
    meaning: (status, json) =>
      tests.find((test) => (test.status === undefined || test.status === status) && isWhen(test.when, json))?.means,
    isRefusal: (status, json) => tests.some((test) => test.status === status && isWhen(test.when, json)),
  }
}

function isWhen(when: { readonly at: readonly Path[]; readonly is: JsonValue } | undefined, json: JsonValue = null) {
  return when === undefined || when.at.some((path) => isSameJson(readFirst(path, json), when.is))
}

function faultAt(
  paths: { readonly name?: Path | undefined; readonly message?: Path | undefined } = {},
  fault: JsonValue,
): Fault {
  const { name, message } = paths
  return { place: (name && textAt(name, fault)) ?? '', message: (message && textAt(message, fault)) ?? '' }
}

function firstText(paths: readonly Path[], json: JsonValue): string | undefined {
  return paths.map((path) => textAt(path, json)).find((text) => text !== undefined)
}

function textAt(path: Path, json: JsonValue): string | undefined {
  const value = readFirst(path, json)
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function defined<Name extends keyof ServerProblem>(name: Name, value: string | undefined): Partial<ServerProblem> {
  return value === undefined ? {} : { [name]: value }
}
