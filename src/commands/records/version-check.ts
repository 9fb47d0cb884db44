import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonValue } from '../../core/json.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Findable, findOne } from '../find.ts'

/** Any other tag of HTTP has a meaning for the server alone. */
const VERSION = /^(?:W\/)?"?(\d+)"?$/

/** The key may have no permission to read, and a list may not have the record: the server knows. */
const UNREAD: readonly string[] = ['forbidden', 'not_found', 'not_supported', 'bad_answer', 'rejected']

interface Conditional {
  readonly id: string
  readonly ifMatch: string
  /** `update` or `delete`. */
  readonly action: string
}

/**
 * Before a write with --if-match: CrmError `precondition_failed` if the record shows another version. Many servers ignore the
 * header, and would overwrite what it protects. Where the record shows no version, a note says so.
 */
export async function refuseOtherVersion(
  ctx: Pick<Context, 'api' | 'note' | 'seen'>,
  resource: Findable | 'note',
  { id, ifMatch, action }: Conditional,
): Promise<void> {
  if (ifMatch === '*') return
  const shown = await shownVersion(ctx, resource, id)
  const expected = VERSION.exec(ifMatch)?.[1]
  if (shown === undefined || expected === undefined) {
    ctx.note(
      `crm cannot compare --if-match ${shellWord(ifMatch)} with ${resource} ${id}: whether it counts is left to the server.`,
    )
    return
  }
  if (shown === expected) return
  const { plural } = RESOURCES[resource]
  const reason = `the record is at version ${shown}, expected ${expected}; nothing was sent`
  throw new CrmError('precondition_failed', `cannot ${action} ${resource} ${id}: ${reason}`, {
    hint: `crm ${plural} get ${shellWord(id)}`,
  })
}

async function shownVersion(
  ctx: Pick<Context, 'api' | 'seen'>,
  resource: Findable | 'note',
  id: string,
): Promise<string | undefined> {
  if (resource === 'note') return undefined
  try {
    return versionText((await findOne(ctx, resource, id)).version)
  } catch (error) {
    if (error instanceof CrmError && UNREAD.includes(error.code)) return undefined
    throw error
  }
}

function versionText(version: JsonValue | undefined): string | undefined {
  const text = idText(version)
  return text !== undefined && /^\d+$/.test(text) ? text : undefined
}
