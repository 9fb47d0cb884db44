import { expect } from 'vitest'
import { crm } from '../../harness/crm.ts'
import type { Env } from '../../harness/home.ts'

export interface Check {
  readonly check: string
  readonly state: string
  readonly seen: string
  readonly code: string | null
  readonly found: Readonly<Record<string, unknown>>
}

export interface Examined {
  readonly exit: number | string
  readonly stderr: string
  readonly document: {
    readonly ok: boolean
    readonly exit: number
    readonly checks: readonly Check[]
  }
  /** `paging: ok`, and so on. */
  readonly states: Readonly<Record<string, string>>
  seen(check: string): string
}

/** What `crm doctor -o json` finds; its exit is the one in the document. */
export async function examined(env: Env, ...args: readonly string[]): Promise<Examined> {
  const { exit, stdout, stderr } = await crm(['doctor', '-o', 'json', ...args], env)
  const document: Examined['document'] = stdout === '' ? expect.fail(stderr) : JSON.parse(stdout)
  expect(document.exit, stderr).toBe(exit)
  return {
    exit,
    stderr,
    document,
    states: Object.fromEntries(document.checks.map(({ check, state }) => [check, state])),
    seen: (name) => document.checks.find(({ check }) => check === name)?.seen ?? '',
  }
}
