import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { parseBaseUrl } from '../../core/origin.ts'
import { askTyped, askYesNo, canAsk } from '../../output/prompt.ts'
import { parseVariables } from '../../settings/setting.ts'
import type { NamedConnector } from '../../settings/target.ts'
import { commandLine } from '../command-line.ts'

interface ChosenConnector {
  readonly named: NamedConnector
  readonly title: string
  readonly address: URL
}

/** The connector of a login with its variables, which a person is asked for; undefined without one. */
export async function askConnector(
  ctx: Pick<Context, 'env' | 'io' | 'signal' | 'argv' | 'folder' | 'connectors' | 'flags'>,
  flags: { readonly connector?: string; readonly baseUrl?: string; readonly variables?: NamedConnector['variables'] },
): Promise<ChosenConnector | undefined> {
  const given = flags.connector ?? (ctx.env.CRM_CONNECTOR || undefined)
  if (given === undefined) return undefined
  const { connectorAddress, connectorDocument, connectorPath } = await ctx.connectors()
  const name = connectorPath(given, ctx.folder)
  const document = connectorDocument(name)
  const text = ctx.env.CRM_CONNECTOR_VARS
  const variables: Record<string, string> = {
    ...flags.variables,
    ...(text && parseVariables(text, 'CRM_CONNECTOR_VARS')),
  }
  const baseUrl = flags.baseUrl ?? (ctx.env.CRM_BASE_URL || undefined)
  for (const [variable, { ask }] of Object.entries(document.variables)) {
    const isInAddress = baseUrl !== undefined && isOnlyInOrigin(document, variable)
    if (variables[variable] !== undefined || isInAddress) continue
    variables[variable] = await askVariable(ctx, variable, ask)
  }
  const named = { name, variables }
  const address = baseUrl === undefined ? connectorAddress(named) : parseBaseUrl(baseUrl, '--base-url')
  return { named, title: document.title ?? document.name, address }
}

/** The connector of the vendor at this address, if a person takes it; without a terminal, a note names it. */
export async function proposeConnector(
  ctx: Parameters<typeof askConnector>[0] & Pick<Context, 'note'>,
  address: URL,
): Promise<ChosenConnector | undefined> {
  const { connectorAt, connectorDocument } = await ctx.connectors()
  const found = connectorAt(address)
  if (!found) return undefined
  const { title, base } = connectorDocument(found.name)
  const what = `${address.host} is ${title ?? found.name}, for which crm ships a connector`
  if (!canAsk(ctx)) {
    ctx.note(`${what}: crm auth login --connector ${found.name}`)
    return undefined
  }
  if (!(await askYesNo(ctx.io, `${what}. Use it? [y/N] `, ctx.signal))) return undefined
  const baseUrl = address.pathname === '/' ? address.origin + base : address.href
  return askConnector(ctx, { connector: found.name, variables: found.variables, baseUrl })
}

/** A given address replaces the origin, and with it the variables that only the origin uses. */
function isOnlyInOrigin(
  {
    origin,
    base,
    auth,
    resources,
  }: { readonly origin: string | undefined; readonly base: string; readonly auth: object; readonly resources: object },
  variable: string,
): boolean {
  const name = `{${variable}}`
  return origin?.includes(name) === true && !JSON.stringify([base, auth, resources]).includes(name)
}

async function askVariable(
  ctx: Pick<Context, 'io' | 'env' | 'signal' | 'argv' | 'flags'>,
  variable: string,
  ask: string,
): Promise<string> {
  if (canAsk(ctx)) return (await askTyped(ctx.io, `${ask}: `, ctx.signal)).trim()
  throw new CrmError('usage', `the connector needs ${variable} (${ask}), and there is no terminal to ask at`, {
    hint: `CRM_CONNECTOR_VARS=${variable}=VALUE ${commandLine(ctx.argv)}`,
  })
}
