import type { Context } from '../context.ts'
import { type Resource, requiredFields } from '../core/resources/registry.ts'
import { chooseConnector } from '../settings/target.ts'
import type { WithFlags } from './global-flags.ts'

type Choosing = Pick<Context, 'env' | 'settings' | 'repository'> & WithFlags<'profile' | 'keyFile' | 'isKeyOnStdin'>

type FieldsOf = (resource: Resource) => readonly string[]

/** The fields that a new record must have, without a request. What a connector requires itself, it checks when a record is written. */
export async function requiredHere(ctx: Choosing): Promise<FieldsOf> {
  return (await fieldsHere(ctx)).required
}

/** The same, and the fields in which records have links to others. */
export async function fieldsHere(ctx: Choosing): Promise<{ readonly required: FieldsOf; readonly links: FieldsOf }> {
  const { env, flags } = ctx
  const keyFromFlag = flags.keyFile ?? (flags.isKeyOnStdin || undefined)
  const choice = { env, profileFlag: flags.profile, keyFromFlag, repository: await ctx.repository() }
  const named = await chooseConnector(await ctx.settings(), choice)
  if (!named) return { required: requiredFields, links: () => [] }
  const { connectorDocument } = await import('../api/connectors/open-connector.ts')
  const { requiredIn } = await import('../connector/required-in.ts')
  const document = await connectorDocument(named)
  return {
    required: (resource) => requiredIn(document, resource),
    links: (resource) => Object.keys(document.resources[resource]?.links?.fields ?? {}),
  }
}
