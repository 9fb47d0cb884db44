import type { Context } from '../../context.ts'
import { type CrmRecord, RESOURCES } from '../../core/resources/registry.ts'
import type { ResourcePlan } from '../../migration/plan-jobs.ts'
import type { Verified } from '../../migration/verify.ts'

export const migrationColumns = ['resource', 'source', 'migrated', 'create', 'cannot', 'in_doubt']

export const resultColumns = [
  ...['resource', 'source', 'migrated', 'failed', 'in_doubt'],
  ...['equal', 'alike', 'different', 'missing', 'others', 'digest', 'target_digest'],
]

export function planRecord({ type, source, migrated, create, cannot, inDoubt, left }: ResourcePlan): CrmRecord {
  const not = Object.fromEntries(left)
  return { resource: RESOURCES[type].plural, source, migrated, create, cannot, in_doubt: inDoubt, not_carried: not }
}

/** The members of the comparison are null where the target lists no such records. */
export function resultRecord(
  { type, source, migrated, create, cannot, inDoubt }: ResourcePlan,
  verified: Verified | undefined,
): CrmRecord {
  const { equal = null, alike = null, different = null, missing = null, others = null } = verified ?? {}
  const digests = { digest: verified?.digest ?? null, target_digest: verified?.targetDigest ?? null }
  const compared = { equal, alike, different, missing, others, ...digests }
  return { resource: RESOURCES[type].plural, source, migrated, failed: create + cannot, in_doubt: inDoubt, ...compared }
}

const MOST_MEMBERS = 12

/** What is to be created, and what stays behind. */
export function notePlan(ctx: Pick<Context, 'note'>, plans: readonly ResourcePlan[]): void {
  for (const { type, source, migrated, create, cannot, inDoubt } of plans) {
    const parts = [
      `${create} to create`,
      `${migrated} migrated before`,
      `${cannot} cannot be created`,
      `${inDoubt} in doubt`,
    ]
    const shown = parts.filter((part) => !part.startsWith('0 ')).join(', ')
    ctx.note(`${RESOURCES[type].plural}: ${source} on the source${shown === '' ? '' : `; ${shown}`}`)
  }
  for (const { type, left } of plans) {
    if (left.size === 0) continue
    const names = [...left].slice(0, MOST_MEMBERS).map(([name, count]) => `${name} (${count})`)
    const more = left.size > names.length ? `, and ${left.size - names.length} more` : ''
    ctx.note(`Not carried over, of ${RESOURCES[type].plural}: ${names.join(', ')}${more}`)
  }
  ctx.note('Not carried over: pipelines, users, webhooks, ids, times and versions.')
}
