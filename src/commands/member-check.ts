import type { Context } from '../context.ts'
import { MembersRead, type MemberUse } from '../core/members-read.ts'
import { type CrmRecord, fieldOf, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { WithFlags } from './global-flags.ts'

/** What a check of the members on a command line needs. */
export type CheckContext = Pick<Context, 'api' | 'expr'> & WithFlags<'fields' | 'output'>

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
export function createMemberCheck(
  ctx: Pick<Context, 'api'>,
  resource: Resource,
  uses: readonly MemberUse[],
): ListCheck {
  const members = new MembersRead(uses)
  return {
    see: (records) => members.see(records),
    judge: async () => {
      if (members.missing().length === 0) return
      const { names, labelled } = await (await ctx.api()).knownMembers(resource)
      const slip = members.slip(RESOURCES[resource].plural, new Set(names), labelled)
      if (slip) throw slip
    },
  }
}

/** The member uses of a command that prints records; with `--fields` those of `--jq` are not checked. */
export async function expressionUses(
  { expr, flags }: Pick<Context, 'expr'> & WithFlags<'fields' | 'output'>,
  prints: 'list' | 'record',
): Promise<readonly MemberUse[]> {
  const { uses } = await expr()
  if (flags.fields !== undefined) return uses('none')
  return uses(prints === 'list' && flags.output === 'json' ? 'list' : 'record')
}

/** The member uses of `--fields` on a list, without the fields of the resource, which may be absent in all records. */
export function fieldUses({ flags }: WithFlags<'fields' | 'output'>, resource: Resource): readonly MemberUse[] {
  if (flags.output === 'id') return []
  const paths = (flags.fields ?? []).filter(([name = '']) => !fieldOf(resource, name))
  return paths.map((path) => ({ flag: '--fields', path, isDotted: true, mayBeAbsent: path.length === 1 }))
}
