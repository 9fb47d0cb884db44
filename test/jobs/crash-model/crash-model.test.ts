import { describe, expect, test } from 'vitest'
import { explore } from './explore.ts'
import { PROTOCOL, type Rules, type Setting, WINDOW } from './rules.ts'

/** Contacts and deals on a server that keeps successes only, as most do. */
const PLAIN: Setting = {
  rules: PROTOCOL,
  areKeysKept: true,
  isReadable: true,
  isApiKeyExchanged: false,
  isFailureKept: false,
}

const SETTINGS = [true, false].flatMap((isReadable) =>
  [true, false].flatMap((isApiKeyExchanged) =>
    [true, false].map((isFailureKept) => ({ ...PLAIN, isReadable, isApiKeyExchanged, isFailureKept })),
  ),
)

/** A server that ignores keys: what may have happened is looked up. */
const KEYLESS: Setting = { ...PLAIN, areKeysKept: false }

const KEYLESS_SETTINGS = [true, false].flatMap((isReadable) =>
  [true, false].map((isFailureKept) => ({ ...KEYLESS, isReadable, isFailureKept })),
)

describe('one operation on a server that keeps no idempotency keys', () => {
  test.each(KEYLESS_SETTINGS)(
    'is done once, or in doubt where it cannot be looked up (readable: $isReadable, failing: $isFailureKept)',
    (setting) => {
      const { states, counterExample } = explore(setting)
      expect(counterExample).toBeUndefined()
      // What is sent once has fewer ways to go than what is repeated.
      expect(states).toBeGreaterThan(600)
    },
  )
})

describe('one operation, in every interleaving of sends, losses, kills, power cuts and ticks of the clock', () => {
  test.each(SETTINGS)(
    'is done once, or reported as in doubt where it cannot be looked up (readable: $isReadable, API key exchanged: $isApiKeyExchanged, failures kept: $isFailureKept)',
    (setting) => {
      const { states, counterExample } = explore(setting)
      expect(counterExample).toBeUndefined()
      // A model in which little can happen proves little.
      expect(states).toBeGreaterThan(4000)
    },
  )
})

interface Mutant {
  readonly without: keyof Rules
  readonly in?: Partial<Setting>
  readonly fault: string
  readonly way: string
}

const TICKS = Array(WINDOW).fill('tick').join(' > ')

const MUTANTS: readonly Mutant[] = [
  {
    without: 'isKeyDerived',
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > send > server creates > server creates',
  },
  {
    without: 'isSyncedBeforeSend',
    fault: 'duplicate',
    way: `start > lease > send > server creates > ${TICKS} > power cut > start > lease > send > server creates`,
  },
  {
    without: 'isSyncedOnResume',
    fault: 'duplicate',
    way: `start > lease > kill -9 > start > send > server creates > ${TICKS} > power cut > start > lease > sync > send > server creates`,
  },
  {
    without: 'isWindowChecked',
    in: { isApiKeyExchanged: true },
    fault: 'duplicate',
    way: 'start > lease > sync > send > server creates > kill -9 > exchange API key > start > send > server creates',
  },
  {
    without: 'isLifeOfRequestCounted',
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > server creates > tick > tick > tick > send > tick > tick > server creates',
  },
  {
    without: 'isQuietBeforeReconcile',
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > look: absent > tick > tick > raise generation > sync > send > server creates > server creates',
  },
  {
    without: 'isAbsenceProven',
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > tick > tick > server creates > tick > tick > tick > raise generation > sync > send > server creates',
  },
  {
    without: 'isAbsenceProven',
    in: { isReadable: false },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > tick > tick > server creates > tick > tick > tick > raise generation > sync > send > server creates',
  },
  {
    without: 'isAbsenceSeenTwice',
    in: { isFailureKept: true },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > send > server creates, answers 500 > server replays > receive replayed 500 > raise generation > sync > send > server creates',
  },
  {
    without: 'isSentOnceWithoutKeys',
    in: { areKeysKept: false },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > send > server creates > server creates',
  },
  {
    without: 'isSyncedBeforeSend',
    in: { areKeysKept: false },
    fault: 'duplicate',
    way: 'start > lease > send > server creates > power cut > start > lease > send > server creates',
  },
  {
    without: 'isQuietBeforeReconcile',
    in: { areKeysKept: false },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > look: absent > tick > tick > raise generation > sync > send > server creates > server creates',
  },
  {
    without: 'isAbsenceProven',
    in: { areKeysKept: false },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > tick > tick > server creates > tick > raise generation > sync > send > server creates',
  },
  {
    without: 'isAbsenceSeenTwice',
    in: { areKeysKept: false },
    fault: 'duplicate',
    way: 'start > lease > sync > send > reset > tick > tick > server creates > tick > raise generation > sync > send > server creates',
  },
  {
    without: 'isTornTailCut',
    fault: 'lost: it can never finish',
    way: 'start > lease > power cut, torn tail > start > lease > kill -9',
  },
]

describe('each rule is needed', () => {
  test.each(MUTANTS)('without $without the model shows the way to: $fault', ({ without, in: setting, fault, way }) => {
    const { counterExample } = explore({ ...PLAIN, ...setting, rules: { ...PROTOCOL, [without]: false } })
    expect(counterExample).toEqual({ fault, steps: way.split(' > ') })
  })
})
