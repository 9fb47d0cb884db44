import type { Context } from '../context.ts'
import { MembersRead, type MemberUse } from '../core/members-read.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'

/** A check of all records of a list. */
export interface ListCheck {
  see(records: readonly CrmRecord[]): void
  /** Called after the last record. Throws a CrmError. */
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
 * CrmError `usage` for a member on the command line that no record has, and that the server does not describe. An empty list
 * proves nothing.
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

/** The member uses of a command that prints records; with `--fields` those of `--jq` are not checked. */
export async function expressionUses(
  { expr, flags }: Context,
  prints: 'list' | 'record',
): Promise<readonly MemberUse[]> {
  const { uses } = await expr()
  if (flags.fields !== undefined) return uses('none')
  return uses(prints === 'list' && flags.output === 'json' ? 'list' : 'record')
}
