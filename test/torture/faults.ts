import type { Random } from './random.ts'

export interface Refusal {
  readonly status: number
  readonly headers: Record<string, string>
}

/** What the proxy says itself, without asking the service. */
export const REFUSALS = {
  '500 without effect': { status: 500, headers: {} },
  '429 with headers': {
    status: 429,
    headers: { 'retry-after': '1', 'ratelimit-policy': '"default";q=1000;w=1', ratelimit: '"default";r=0;t=1' },
  },
  '429 without headers': { status: 429, headers: {} },
  '503 with Retry-After': { status: 503, headers: { 'retry-after': '1' } },
} as const satisfies Record<string, Refusal>

/** How often each is met, in a thousand requests; the rest pass untouched. */
const BEFORE_PER_THOUSAND = {
  '500 without effect': 10,
  '429 with headers': 4,
  '429 without headers': 4,
  '503 with Retry-After': 4,
  'reset before the effect': 10,
  /** The client sees a reset at once, and the request arrives later. */
  'reset, delivered late': 10,
} as const

const AFTER_PER_THOUSAND = {
  delay: 40,
  'reset after the effect': 10,
  'answer truncated': 10,
  '500 with effect': 10,
} as const

export type FaultBefore = keyof typeof BEFORE_PER_THOUSAND
export type FaultAfter = keyof typeof AFTER_PER_THOUSAND
export type Fault = FaultBefore | FaultAfter

const PER_THOUSAND = Object.entries({ ...BEFORE_PER_THOUSAND, ...AFTER_PER_THOUSAND }) as [Fault, number][]

export function isBefore(fault: Fault | undefined): fault is FaultBefore {
  return fault !== undefined && fault in BEFORE_PER_THOUSAND
}

export function isRefusal(fault: Fault): fault is keyof typeof REFUSALS {
  return fault in REFUSALS
}

export function chooseFault(random: Random): Fault | undefined {
  let left = random.next() * 1000
  for (const [fault, perThousand] of PER_THOUSAND) {
    left -= perThousand
    if (left < 0) return fault
  }
  return undefined
}
