import type { Context } from '../context.ts'
import { MembersRead, type MemberUse } from '../core/members-read.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'

/** What is held against all records of a list, when the last of them was read. */
export interface ListCheck {
  see(records: readonly CrmRecord[]): void
  /** Throws what is wrong. */
  judge(): Promise<void>
}

export function allOf(checks: readonly ListCheck[]): ListCheck {
  return {
    see: (records) => {
      for (const check of checks) check.see(records)
    },
    judge: async () => {
      for (const check of checks) await check.judge()
    },
  }
}

/**
 * CrmError `usage` for a member that a command line takes from records of which none has it, and which the server does not
 * describe. A list without records proves nothing.
 */
export function createMemberCheck(ctx: Context, resource: Resource, uses: readonly MemberUse[]): ListCheck {
  const members = new MembersRead(uses)
  return {
    see: (records) => members.see(records),
    judge: async () => {
      if (members.missing().length === 0) return
      const slip = members.slip(RESOURCES[resource].plural, await (await ctx.api()).describedMembers(resource))
      if (slip) throw slip
    },
  }
}

/** Of the expressions of a command that prints records; what `--fields` has picked from is not theirs to judge. */
export async function expressionUses(
  { expr, flags }: Context,
  prints: 'list' | 'record',
): Promise<readonly MemberUse[]> {
  const { uses } = await expr()
  if (flags.fields !== undefined) return uses('none')
  return uses(prints === 'list' && flags.output === 'json' ? 'list' : 'record')
}
