import type { Api } from '../../api/api.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonValue } from '../../core/json.ts'
import { listedId } from '../../core/record-ids.ts'
import { counted, type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import type { MergeGroup } from '../../jobs/plan/make-merge.ts'

/** The member of the deals of a server that names a record of this resource; undefined if the connector describes none. */
function referenceOf(api: Pick<Api, 'connector'>, resource: PlainResource): string | undefined {
  const member = `${RESOURCES[resource].singular}_id`
  return Object.hasOwn(api.connector.document.resources.deal?.fields ?? {}, member) ? member : undefined
}

/**
 * A merge changes no deals. CrmError `not_supported`, with the command that changes one, if a deal names a loser that would be
 * deleted; for that all deals are read.
 */
export async function checkReferences(
  ctx: Context,
  resource: PlainResource,
  { groups, isDeleting }: { readonly groups: readonly MergeGroup[]; readonly isDeleting: boolean },
): Promise<void> {
  const api = await ctx.api()
  const { singular } = RESOURCES[resource]
  const member = referenceOf(api, resource)
  if (member === undefined) {
    ctx.note(
      `No record that crm knows of this server refers to a ${singular}, so none is changed to refer to the winner.`,
    )
    return
  }
  if (!isDeleting) {
    ctx.note(`deals whose ${member} names a loser are not changed.`)
    return
  }
  const winners = new Map(groups.flatMap(({ winner, losers }) => losers.map((loser) => [loser, winner] as const)))
  const referring = await dealsOf(api, member, winners)
  if (referring.length === 0) ctx.note(`No deal has a loser as its ${member}.`)
  else throw stillReferred(ctx, member, { referring, winners, isFixed: isFixed(api, member) })
}

/** Whether only a new deal takes the member. */
function isFixed(api: Pick<Api, 'connector'>, member: string): boolean {
  const field = api.connector.document.resources.deal?.fields?.[member]
  return typeof field === 'object' && 'when' in field && field.when === 'create'
}

interface Referring {
  readonly deal: string
  readonly loser: string
  /** Its id, as the deal has it. */
  readonly value: JsonValue
}

async function dealsOf(api: Api, member: string, winners: ReadonlyMap<string, string>): Promise<readonly Referring[]> {
  const referring: Referring[] = []
  for await (const { items } of api.deals.list()) {
    for (const deal of items) {
      const value = deal[member] ?? null
      const loser = idText(value)
      if (loser !== undefined && winners.has(loser)) referring.push({ deal: listedId(deal), loser, value })
    }
  }
  return referring
}

const MOST_NAMED = 5

interface Referred {
  readonly referring: readonly Referring[]
  readonly winners: ReadonlyMap<string, string>
  readonly isFixed: boolean
}

function stillReferred(
  ctx: Pick<Context, 'argv'>,
  member: string,
  { referring, winners, isFixed }: Referred,
): CrmError {
  const named = referring.slice(0, MOST_NAMED).map(({ deal, loser }) => `${deal} to ${loser}`)
  const more = referring.length > named.length ? `, and ${referring.length - named.length} more` : ''
  const verb = referring.length === 1 ? 'refers' : 'refer'
  const what = `${counted(referring.length, 'deal')} ${verb} to losers (${member}), and merge changes no deals`
  const { loser, value } = referring[0] ?? { loser: '', value: null }
  const where = shellWord(`.${member} == ${JSON.stringify(value)}`)
  const set = shellWord(`${member}=${winners.get(loser)}`)
  const change = `crm deals update --where ${where} --set ${set}${typedProfile(ctx.argv)}`
  return new CrmError('not_supported', `${what}: ${named.join(', ')}${more}; nothing was sent`, {
    hint: isFixed
      ? '--losers mark=MEMBER keeps the losers: this server does not let the contact of a deal change'
      : `first, for each of these losers: ${change}; or --losers mark=MEMBER keeps the losers`,
  })
}
