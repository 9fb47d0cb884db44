import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type JsonObject, type JsonValue, parseExactJson } from '../../../src/core/json.ts'

/** clients/conformance: README.md explains it, scenario.schema.json describes the files. */
export const SUITE_FOLDER = fileURLToPath(new URL('../../../clients/conformance/', import.meta.url))

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: JsonValue
  readonly text?: string
}

/** What happens to a request in place of its answer. */
export interface Fault {
  /** `POST /v1/contacts`: the requests that it applies to. */
  readonly to: string
  /** How many of them, 1 unless given. */
  readonly times?: number
  /** Whether the service handles the request before. */
  readonly reaches?: boolean
  readonly delayMs?: number
  readonly answer?: Answer
  /** It is reset, or closed within the body of the answer; or nothing is sent, or the answer byte by byte. */
  readonly connection?: 'reset' | 'cut' | 'silent' | 'drip'
}

export interface Step {
  /** `contacts.create`, `webhooks.verify`, `client.open`, `client.show`; or `delivery`, which waits for a webhook request. */
  readonly call: string
  readonly with?: JsonObject
  /** How often; 1 unless given. */
  readonly repeat?: number
  readonly returns?: JsonValue
  readonly fails?: JsonObject
}

export interface ExpectedRequest {
  readonly request: string
  readonly query?: JsonObject
  readonly headers?: JsonObject
  readonly body?: JsonValue
  /** Milliseconds since the request before. */
  readonly afterMs?: number
  readonly withinMs?: number
}

export interface Scenario {
  readonly name: string
  /** What a client must offer for this. */
  readonly needs?: readonly string[]
  /** Records that exist: their number, or their members. */
  readonly seed?: Readonly<Record<string, number | readonly JsonObject[]>>
  /** A file of `crm serve --objects` in clients/conformance. */
  readonly objects?: string
  readonly client?: JsonObject
  /** Percent of the requests that the service itself lets fail, as `crm sandbox run --fail` does. */
  readonly service?: Readonly<Record<string, number>>
  readonly faults?: readonly Fault[]
  readonly steps: readonly Step[]
  readonly observed?: {
    /** All requests, in order. */
    readonly requests?: readonly ExpectedRequest[]
    readonly mostRequests?: number
    /** The number of records afterwards. */
    readonly records?: Readonly<Record<string, number>>
  }
}

export interface Area {
  readonly area: string
  readonly scenarios: readonly Scenario[]
}

export interface Language {
  readonly name: string
  /** `{built}` is the file that `build` makes. */
  readonly command: readonly string[]
  /** Makes the program of the driver, once for a run of the suite. */
  readonly build?: readonly string[]
  /** Tells whether it is installed. */
  readonly probe: readonly string[]
  /** What the client does not offer, with the reason. A scenario that needs it must fail. */
  readonly lacks: Readonly<Record<string, string>>
}

export function readAreas(): readonly Area[] {
  const names = readdirSync(`${SUITE_FOLDER}scenarios`).toSorted()
  return names.map((name) => readJson(`scenarios/${name}`) as unknown as Area)
}

export function readLanguages(): Readonly<Record<string, Language>> {
  return readJson('languages.json') as unknown as Record<string, Language>
}

function readJson(name: string): JsonValue {
  return parseExactJson(readFileSync(`${SUITE_FOLDER}${name}`, 'utf8'))
}
