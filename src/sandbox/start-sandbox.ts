import { tmpdir } from 'node:os'
import { CrmError } from '../core/errors.ts'
import type { RateLimit } from '../service/rate-limit.ts'
import { checkOptions } from './check-options.ts'
import type { FaultShares } from './fault-plan.ts'
import { openSandbox } from './open-sandbox.ts'

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
