import { tmpdir } from 'node:os'
import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import type { FaultShares } from './fault-plan.ts'
import { openSandbox } from './open-sandbox.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

const RULES: Readonly<Record<string, Rule>> = {
  seed: {
    expected: "a list of file names: ['demo.yaml']",
    is: (value) => Array.isArray(value) && value.every(isText),
  },
  seedEnv: {
    expected: "an object of texts: { OWNER: 'u_1' }",
    is: (value) => isJsonObject(value) && Object.values(value).every(isText),
  },
  latencyMs: { expected: '0 or more: 50', is: (value) => isAmount(value) && Number.isFinite(value) },
  fail: {
    expected: 'percent by what happens: { 500: 2 }',
    is: (value) => isJsonObject(value) && Object.values(value).every(isAmount),
  },
  rateLimit: {
    expected: '{ requests: 10, windowMs: 1000 }, both whole numbers, the time at least 1000',
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
  /** Fixture files whose records are there when it has started. */
  readonly seed?: readonly string[]
  /** Variables that `${env:NAME}` in them sees; none unless given. */
  readonly seedEnv?: Readonly<Record<string, string>>
  /** Before each request is taken up. */
  readonly latencyMs?: number
  /** Percent of the requests by what happens to them: `{ 500: 2, 'reset-after': 1 }`. */
  readonly fail?: FaultShares
  /** None unless given. */
  readonly rateLimit?: RateLimit
  /** What the service takes for the time when it starts. */
  readonly clock?: Date
  /** Told of every request. */
  readonly log?: (line: object) => void
}

export interface Sandbox extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  /** For processes that are to use this service: `spawn('npm', ['test'], { env: { ...process.env, ...sandbox.env } })`. */
  readonly env: Readonly<Record<string, string>>
  /** The service ends; its data and its folder are gone. */
  stop(): Promise<void>
}

/** A CRM service of your own on a free port of this machine, in this process, on a database in memory. */
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
    // Nobody else tells them.
    if (!(error instanceof CrmError) || mistakes.length === 0) throw error
    throw new CrmError(error.code, [error.message, ...mistakes].join('\n'), { ...error.details, cause: error })
  })
  return { baseUrl, apiKey, env, stop: close, [Symbol.asyncDispose]: close }
}

interface Rule {
  readonly expected: string
  is(value: unknown): boolean
}

/** For what a program without types passes; CrmError `invalid_input` for an option that is misspelt or no such value. */
export function checkOptions(options: unknown): void {
  const known = `expected ${Object.keys(RULES).join(', ')}`
  if (!isJsonObject(options)) {
    throw new CrmError('invalid_input', 'startSandbox takes an object of options', { hint: known })
  }
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined
    if (!rule) throw new CrmError('invalid_input', `startSandbox takes no ${JSON.stringify(name)}`, { hint: known })
    if (value !== undefined && !rule.is(value)) {
      throw new CrmError('invalid_input', `${name} of startSandbox is ${shown(value)}`, {
        hint: `expected ${rule.expected}`,
      })
    }
  }
}

function shown(value: unknown): string {
  return value instanceof Date ? 'no valid Date' : (JSON.stringify(value) ?? String(value))
}
