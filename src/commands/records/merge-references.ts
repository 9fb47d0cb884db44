import type { Context } from '../../context.ts'
import { type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import type { Reference } from '../../jobs/plan/make-repoint.ts'

/** How the deals of a server name a record of this resource; undefined, with a note, if the connector describes no such member. */
export async function referenceTo(
  ctx: Pick<Context, 'api' | 'note'>,
  resource: PlainResource,
): Promise<Reference | undefined> {
  const { deal, note } = (await ctx.api()).connector.document.resources
  const { singular } = RESOURCES[resource]
  const member = `${singular}_id`
  if (Object.hasOwn(note?.fields ?? {}, member))
    ctx.note(`Notes whose ${member} names a loser are not changed: crm changes no notes.`)
  const field = deal?.fields && Object.hasOwn(deal.fields, member) ? deal.fields[member] : undefined
  if (field === undefined) {
    ctx.note(`No deal of this server refers to a ${singular}, so none is changed to refer to the winner.`)
    return undefined
  }
  return { member, isFixed: typeof field === 'object' && 'when' in field && field.when === 'create' }
}
