import type { HandOver, ReceivedEvent } from '../../core/arrivals.ts'
import type { Env } from '../../core/streams.ts'
import { commandTarget } from './command-target.ts'
import { httpTarget } from './http-target.ts'
import { createOnward, type Onward } from './onward.ts'

export interface OnwardRules {
  readonly forwards: readonly { readonly url: URL; readonly globs: readonly string[] }[]
  readonly commands: readonly { readonly name: string; readonly words: readonly [string, ...string[]] }[]
  /** For one try. */
  readonly timeoutMs: number
  readonly retries: number
  readonly showsResponse: boolean
  readonly passesDuplicates: boolean
  /** The headers to send in place of those that came. */
  readonly sign?: (event: ReceivedEvent) => readonly (readonly [string, string])[]
  readonly env: Env
  readonly now: () => number
  /** What a command is given on stdin. */
  input(event: ReceivedEvent): string
  /** What a command prints. */
  say(line: string): void
  show(handOver: HandOver): Promise<void>
}

/** Undefined when there is nowhere to hand events on to. */
export function startOnward(rules: OnwardRules): Onward | undefined {
  const { timeoutMs, showsResponse, sign, env, input, say } = rules
  const targets = [
    ...rules.forwards.map((rule) => httpTarget({ ...rule, timeoutMs, showsResponse, ...(sign && { sign }) })),
    ...rules.commands.map((command) => commandTarget({ ...command, env, timeoutMs, input, say })),
  ]
  return targets.length === 0 ? undefined : createOnward({ ...rules, targets })
}
