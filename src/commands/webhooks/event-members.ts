import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { MembersRead, type MemberUse } from '../../core/members-read.ts'
import { nearest } from '../../core/nearest.ts'
import { FIELDS, RECORD_RESOURCES } from '../../core/resources/registry.ts'
import { expressionUses, type ListCheck } from '../member-check.ts'
import { EVENT_MEMBERS, LOGGED_MEMBERS } from './event-record.ts'

export interface EventCheck extends ListCheck {
  /** CrmError `usage` for a member that no event so far has. */
  slip(): CrmError | undefined
}

const ENVELOPE: readonly string[] = ['type', 'timestamp', 'data', 'previous']

/** Checks the members in `--where` for events as they arrive. */
export async function createEventCheck(ctx: Pick<Context, 'expr'>): Promise<EventCheck> {
  const { uses } = await ctx.expr()
  return checkOf(uses('none'), EVENT_MEMBERS)
}

/** The same for events of the log. */
export async function createLoggedCheck(ctx: Pick<Context, 'expr'>): Promise<EventCheck> {
  const { uses } = await ctx.expr()
  return checkOf(uses('none'), LOGGED_MEMBERS)
}

/** Checks the members in all expressions for a list of events of the log. */
export async function createEventListCheck(ctx: Context): Promise<EventCheck> {
  return checkOf(await expressionUses(ctx, 'list'), LOGGED_MEMBERS)
}

/** CrmError `usage` at once for an unknown member of the event itself, because all events have the same ones. */
function checkOf(uses: readonly MemberUse[], known: readonly string[]): EventCheck {
  for (const use of uses) refuseUnknown(use, known)
  const members = new MembersRead(uses.filter(({ path }) => !isKnown(path)).map(withMeant))
  const slip = () => members.slip('events', new Set())
  return {
    see: (records) => members.see(records),
    slip,
    judge: async () => {
      const error = slip()
      if (error) throw error
    },
  }
}

/** Members of the records of crm serve. */
function recordMembers(): readonly string[] {
  return RECORD_RESOURCES.flatMap((resource): readonly string[] => FIELDS[resource])
}

function refuseUnknown({ flag, path: [name = ''], ifMeant = '' }: MemberUse, known: readonly string[]): void {
  if (known.includes(name)) return
  const meant = nearest(name, known) ?? (recordMembers().includes(name) ? `body.data.${name}` : undefined)
  const question = meant === undefined ? '' : `did you mean ${meant}? `
  throw new CrmError('usage', `${flag}: an event has no member ${name}, but ${known.join(', ')}`, {
    hint: `${question}${ifMeant}`,
  })
}

function isKnown([first, second = '', third, ...rest]: readonly string[]): boolean {
  if (second === '') return true
  if (first !== 'body') return false
  if (third === undefined) return ENVELOPE.includes(second)
  return (second === 'data' || second === 'previous') && recordMembers().includes(third) && rest.length === 0
}

function withMeant(use: MemberUse): MemberUse {
  const [first, second = '', third, ...rest] = use.path
  if (first !== 'body' || rest.length > 0) return use
  const meant = third === undefined ? nearest(second, ENVELOPE) : nearest(third, recordMembers())
  if (meant === undefined) return use
  const path = third === undefined ? `body.${meant}` : `body.${second}.${meant}`
  return { ...use, ifMeant: `did you mean ${path}? ${use.ifMeant ?? ''}`.trimEnd() }
}
