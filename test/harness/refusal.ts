import { expect } from 'vitest'
import { crm, crmHurried } from './crm.ts'
import type { Env } from './home.ts'

export interface Refusal {
  readonly exit: number
  readonly code: string
  /** On the first line: what happened. */
  readonly what: RegExp
  /** On the second: what to type or change next. */
  readonly next: RegExp
}

/**
 * The same command twice, with and without `-o json`: two lines for people or one object for programs, nothing on
 * stdout, no stack. `isHurried` is for a server without a clock. `keys` are values that must not be shown.
 */
export async function expectRefusal(
  command: { args: readonly string[]; env: Env; input?: string; isHurried?: true },
  { exit, code, what, next }: Refusal,
): Promise<void> {
  const { args, env, input, isHurried } = command
  const run = (argv: readonly string[]) => (isHurried ? crmHurried(argv, env) : crm(argv, env, input))
  const [people, programs] = await Promise.all([run(args), run([...args, '-o', 'json'])])

  expect(people).toMatchObject({ exit, stdout: '' })
  const lines = people.stderr.split('\n')
  expect(lines, people.stderr).toHaveLength(3)
  expect(lines[0]).toMatch(/^crm: \S/)
  expect(lines[0]).toMatch(what)
  expect(lines[1]).toMatch(/^ {2}\S/)
  expect(lines[1]?.trimStart()).toMatch(next)
  expect(lines[2]).toBe('')

  expect(programs).toMatchObject({ exit, stdout: '' })
  const { error } = JSON.parse(programs.stderr.trimEnd().split('\n').at(-1) ?? '')
  expect(error).toMatchObject({ code, message: expect.stringMatching(what), hint: expect.stringMatching(next) })

  const shown = people.stderr + programs.stderr
  expect(shown).not.toMatch(/^\s+at .*\(.*:\d+:\d+\)$/m)
  if (env.CRM_API_KEY) expect(shown).not.toContain(env.CRM_API_KEY)
}
