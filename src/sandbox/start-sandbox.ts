import { tmpdir } from 'node:os'
import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import type { FaultShares } from './fault-shares.ts'
import { openSandbox } from './open-sandbox.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

const RULES: Readonly<Record<string, Rule>> = {
  seed: {
    expected: "an array of file names: ['demo.yaml']",
    is: (value) => Array.isArray(value) && value.every(isText),
  },
  seedEnv: {
    expected: "an object with string values: { OWNER: 'u_1' }",
    is: (value) => isJsonObject(value) && Object.values(value).every(isText),
  },
  latencyMs: { expected: '0 or more: 50', is: (value) => isAmount(value) && Number.isFinite(value) },
  fail: {
    expected: 'percent by kind of fault: { 500: 2 }',
    is: (value) => isJsonObject(value) && Object.values(value).every(isAmount),
  },
  rateLimit: {
    expected: '{ requests: 10, windowMs: 1000 }, both integers, windowMs at least 1000',
    is: (value) =>
      isJsonObject(value) && isCount(value.requests) && isCount(value.windowMs) && Number(value.windowMs) >= 1000,
  },
  clock: {
    expected: "a valid Date: new Date('2026-01-01')",
    is: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  },
  log: { expected: 'a function', is: (value) => typeof value === 'function' },
}

declare const CRM_VERSION: string

export interface SandboxOptions {
  /** Fixture files, applied before it starts. */
  readonly seed?: readonly string[]
  /** Variables for `${env:NAME}` in the fixture files; none by default. */
  readonly seedEnv?: Readonly<Record<string, string>>
  /** Delay before each request is handled. */
  readonly latencyMs?: number
  /** Percent of requests by kind of fault: `{ 500: 2, 'reset-after': 1 }`. */
  readonly fail?: FaultShares
  /** No limit by default. */
  readonly rateLimit?: RateLimit
  /** The initial time of the service's clock. */
  readonly clock?: Date
  /** Called for every request. */
  readonly log?: (line: object) => void
}

export interface Sandbox extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  /** Variables for processes that use this service: `spawn('npm', ['test'], { env: { ...process.env, ...sandbox.env } })`. */
  readonly env: Readonly<Record<string, string>>
  /** Stops the service and deletes its data and its folder. */
  stop(): Promise<void>
}

/** Starts a CRM service in this process, on a free local port, with a database in memory. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  checkOptions(options)
  const { seed = [], seedEnv = {}, latencyMs = 0, fail = {}, rateLimit, clock, log } = options
  const mistakes: string[] = []
  const { baseUrl, apiKey, env, close } = await openSandbox({
    ...{ seed, seedEnv, latencyMs, fail, rateLimit, log, parent: tmpdir(), version: CRM_VERSION },
    clockMs: clock?.getTime(),
    signal: new AbortController().signal,
    onMistake: (text) => mistakes.push(text),
  }).catch((error: unknown) => {
    // Without a terminal, the error is the only place to report them.
    if (!(error instanceof CrmError) || mistakes.length === 0) throw error
    throw new CrmError(error.code, [error.message, ...mistakes].join('\n'), { ...error.details, cause: error })
  })
  return { baseUrl, apiKey, env, stop: close, [Symbol.asyncDispose]: close }
}

interface Rule {
  readonly expected: string
  is(value: unknown): boolean
}

/** For callers without types. CrmError `invalid_input` for an unknown option or an invalid value. */
export function checkOptions(options: unknown): void {
  const known = `expected ${Object.keys(RULES).join(', ')}`
  if (!isJsonObject(options)) {
    throw new CrmError('invalid_input', 'startSandbox expects an object of options', { hint: known })
  }
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined
    if (!rule)
      throw new CrmError('invalid_input', `startSandbox has no option ${JSON.stringify(name)}`, { hint: known })
    if (value !== undefined && !rule.is(value)) {
      throw new CrmError('invalid_input', `${name} of startSandbox is ${shown(value)}`, {
        hint: `expected ${rule.expected}`,
      })
    }
  }
}

function shown(value: unknown): string {
  return value instanceof Date ? 'an invalid Date' : (JSON.stringify(value) ?? String(value))
}
