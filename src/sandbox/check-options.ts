import { CrmError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'

interface Rule {
  readonly expected: string
  is(value: unknown): boolean
}

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
