import { expect, test } from 'vitest'
import type { Failure } from '../../../src/api/errors/failure.ts'
import { Governor } from '../../../src/jobs/send/governor.ts'

interface Limit {
  readonly perWindow: number
  readonly windowMs: number
  readonly isTold: boolean
  readonly answerMs?: number
  /** How far into its window the server is at the start. */
  readonly startMs?: number
}

/** A server with a fixed window, and governors that send to it for so long; its clock is theirs. */
function simulate(limit: Limit, governors: number, forMs: number): { taken: number; refused: number } {
  const { answerMs = 20, startMs = 0 } = limit
  let nowMs = startMs
  let window = { id: -1, left: 0 }
  const counts = { taken: 0, refused: 0 }
  const due: { readonly atMs: number; readonly run: () => void }[] = []
  const all = Array.from(
    { length: governors },
    () =>
      new Governor({
        ...{ concurrency: undefined, most: 64, steadyMs: () => nowMs, wallMs: () => nowMs },
        share: () => ({ share: 1, processes: governors }),
      }),
  )
  const underWay = all.map(() => 0)
  const answer = () => {
    const id = Math.floor(nowMs / limit.windowMs)
    if (id !== window.id) window = { id, left: limit.perWindow }
    const isRefused = window.left === 0
    if (isRefused) counts.refused += 1
    else counts.taken += 1
    if (!isRefused) window.left -= 1
    const resetSeconds = Math.ceil(((id + 1) * limit.windowMs - nowMs) / 1000)
    const headers = limit.isTold
      ? {
          ratelimit: `"default";r=${window.left};t=${resetSeconds}`,
          'ratelimit-policy': `"default";q=${limit.perWindow};w=10`,
        }
      : {}
    if (!isRefused) return { status: 201, headers, json: undefined }
    return {
      code: 'rate_limited',
      reason: '',
      hint: '',
      rule: 'patient',
      isInDoubt: false,
      status: 429,
      headers,
    } as Failure
  }
  for (; nowMs < startMs + forMs; nowMs++) {
    for (const one of due.splice(0)) one.atMs <= nowMs ? one.run() : due.push(one)
    for (const [at, governor] of all.entries()) {
      while ((underWay[at] ?? 0) < governor.width && governor.take() === 0) {
        underWay[at] = (underWay[at] ?? 0) + 1
        const outcome = answer()
        due.push({
          atMs: nowMs + answerMs,
          run: () => {
            underWay[at] = (underWay[at] ?? 0) - 1
            governor.answered(outcome, answerMs)
          },
        })
      }
    }
  }
  return counts
}

const ALLOWED = { perWindow: 100, windowMs: 10_000 }
const FOR_MS = 120_000
const MOST = (100 * FOR_MS) / 10_000

test('a limit that is told is used up, and nothing is refused', () => {
  const { taken, refused } = simulate({ ...ALLOWED, isTold: true }, 1, FOR_MS)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.95)
  expect(refused).toBeLessThanOrEqual(taken * 0.005)
})

test('a limit that nobody tells is felt: at most one request in 25 is refused', () => {
  const { taken, refused } = simulate({ ...ALLOWED, isTold: false }, 1, FOR_MS)
  expect(refused / (taken + refused)).toBeLessThanOrEqual(0.04)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.95)
})

test.each([0, 2000, 4000, 6000, 8000])(
  'so it is in one minute on a slow server whose window began %i ms ago',
  (startMs) => {
    const { taken, refused } = simulate({ ...ALLOWED, isTold: false, answerMs: 80, startMs }, 1, 65_000)
    expect(refused / (taken + refused)).toBeLessThanOrEqual(0.04)
    expect(taken).toBeGreaterThanOrEqual(650 * 0.75)
  },
)

test('two processes share what is told', () => {
  const { taken, refused } = simulate({ ...ALLOWED, isTold: true }, 2, FOR_MS)
  expect(taken).toBeGreaterThanOrEqual(MOST * 0.9)
  expect(refused).toBeLessThanOrEqual(taken * 0.01)
})
