import { setTimeout } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Ledger } from './ledger.ts'

type Json = Readonly<Record<string, unknown>>

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: Json
  /** An Idempotency-Key. */
  readonly key?: string
}

export interface Answer {
  readonly status: number
  readonly body: Json
  /** Whether an earlier attempt of the same request got no answer. */
  readonly isRepeated: boolean
}

export interface Sending {
  readonly urls: readonly string[]
  readonly apiKey: string
  readonly random: Random
  readonly ledger: Ledger
}

/** So many answers to requests with a key count as lost on their way. */
const LOST_ANSWERS = 0.1

/** Longer than a write waits for anything. */
const ANSWER_MS = 30_000

/** All faults together do not last this long. */
const LONGEST_MS = 180_000

/**
 * Sends a request to one process after the other until one gives an answer. Undefined: given up after an attempt whose outcome
 * is unknown. What no attempt may answer, such as 500, is a fault.
 */
export async function insist(sending: Sending, request: Request, givesUp = 0): Promise<Answer | undefined> {
  const { random, ledger } = sending
  const giveUpMs = performance.now() + LONGEST_MS
  let isRepeated = false
  for (;;) {
    let answer = await sendOnce(sending, request)
    if (answer && !isRepeated && request.key !== undefined && random.chance(LOST_ANSWERS)) answer = undefined
    if (answer && !isPassing(answer)) {
      if (answer.status >= 500)
        ledger.fault(`${request.method} ${request.path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return { ...answer, isRepeated }
    }
    isRepeated = true
    if (request.method !== 'GET' && random.chance(givesUp)) {
      ledger.counts.givenUp++
      return undefined
    }
    if (performance.now() > giveUpMs) {
      ledger.fault(`${request.method} ${request.path}: no answer for ${LONGEST_MS / 1000} s`)
      return undefined
    }
    ledger.counts.repeated++
    await setTimeout(random.between(20, 300))
  }
}

interface Once {
  readonly status: number
  readonly body: Json
  readonly retryAfter: string | null
}

async function sendOnce({ urls, apiKey, random, ledger }: Sending, request: Request): Promise<Once | undefined> {
  const { method, path, body, key } = request
  try {
    const response = await fetch(`${random.pick(urls)}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const text = await response.text()
    const retryAfter = response.headers.get('retry-after')
    if (response.status === 503 && retryAfter === null) ledger.fault(`${method} ${path}: 503 without Retry-After`)
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json), retryAfter }
  } catch (error) {
    if (error instanceof SyntaxError) ledger.fault(`${method} ${path}: an answer that is no JSON`)
    return undefined
  }
}

/** 503, and 409 while another process has the key; in GraphQL as the status of an error. */
function isPassing({ status, body }: Once): boolean {
  if (status === 503) return true
  if (status === 409) return body.code === 'idempotency_in_progress'
  const errors = (body.errors ?? []) as readonly {
    readonly extensions?: { readonly status?: number; readonly code?: string }
  }[]
  return (
    status === 200 &&
    errors.some(({ extensions }) => extensions?.status === 503 || extensions?.code === 'idempotency_in_progress')
  )
}
