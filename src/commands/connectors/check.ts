import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Api } from '../../api/api.ts'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isSameJson, type JsonObject } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { commandLine } from '../command-line.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'

interface Check {
  readonly resource: string
  readonly operation: string
  readonly state: 'ok' | 'warn' | 'failed' | 'not offered'
  readonly seen: string
  readonly failure?: CrmError
}

export function addConnectorsCheck(connectors: CommandUnknownOpts, act: Act): void {
  const check = connectors
    .command('check [file]')
    .description('compare the connector of the profile with its server; reads only, unless --write is given')
    .option('--write', 'also create, change and delete one marked contact')
    .addHelpText(
      'after',
      `\nWith a file, only that connector is read, and rewritten where its format is of an earlier version.\n${examples('crm connectors check', 'crm connectors check --write -p test', 'crm connectors check mycrm.yaml')}`,
    )
    .action(act(checkConnector))
  addScopedFlags(check, ['fields', 'yes'])
}

async function checkConnector(
  ctx: Context,
  file: string | undefined,
  { write }: { readonly write?: true },
): Promise<undefined> {
  if (file !== undefined) {
    const { checkFile } = await import('./check-file.ts')
    return checkFile(ctx, file)
  }
  const api = await ctx.api()
  if (write) await confirmWrite(ctx, api)
  const { readRequests } = await import('../../api/connectors/open-connector.ts')
  ctx.note(`Sends ${readRequests(api.connector.document).join(', ')}.`)
  const checks: Check[] = []
  for (const resource of Object.keys(RESOURCES) as Resource[]) checks.push(...(await checkReads(api, resource)))
  if (write) checks.push(...(await checkWrites(api)))
  ctx.keepExitCode?.()
  const rows = checks.map(({ failure, ...row }): JsonObject => ({ ...row, code: failure?.code ?? null }))
  await printList(ctx, { pages: onePage(rows), columns: ['resource', 'operation', 'state', 'seen'], plural: 'checks' })
  const failed = checks.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (!first) return
  const { failure } = first
  throw new CrmError(
    failure?.code ?? 'bad_answer',
    `${failed.length} of ${checks.length} checks failed: ${first.operation} of ${first.resource}: ${first.seen}`,
    { hint: failure?.details.hint ?? `crm connectors show ${shellWord(api.connector.word)}` },
  )
}

/** CrmError for a protected server, for one without deletions, and without consent. */
async function confirmWrite(ctx: Context, { connector }: Api): Promise<void> {
  const { isProtected, baseUrl } = await ctx.target()
  if (isProtected) {
    throw new CrmError('usage', `${baseUrl.origin} is protected, so nothing is written there`, {
      hint: 'crm connectors check reads only',
    })
  }
  if (!connector.offers('contact', 'create') || !connector.offers('contact', 'delete')) {
    throw new CrmError(
      'not_supported',
      `${connector.name} (connector) cannot delete contacts, so a test contact would stay`,
      {
        hint: 'crm connectors check reads only',
      },
    )
  }
  if (ctx.flags.isConfirmed) return
  const again = `${commandLine(ctx.argv)} --yes`
  if (!canAsk(ctx)) throw new CrmError('unconfirmed', 'writing a test contact was not confirmed', { hint: again })
  const question = `Create, change and delete one contact on ${baseUrl.origin}? [y/N] `
  if (await askYesNo(ctx.io, question, ctx.signal)) return
  throw new CrmError('unconfirmed', 'not confirmed; nothing was written', { hint: again })
}

async function checkReads(api: Api, resource: Resource): Promise<readonly Check[]> {
  const { plural, parent }: ResourceDefinition = RESOURCES[resource]
  const { connector } = api
  if (!connector.document.resources[resource]?.list) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: '' }]
  }
  const { paging, parent: listParent } = connector.rules(resource)
  if (listParent !== undefined) {
    return [{ resource: plural, operation: 'list', state: 'not offered', seen: `only of one ${parent ?? listParent}` }]
  }
  const records: CrmRecord[] = []
  let pages = 0
  const list = await attempt(plural, 'list', async () => {
    // One more than a page, to see that the next page is found.
    const limit = (paging.size?.max ?? 100) + 1
    const collection = api[plural as 'contacts']
    const all = typeof collection === 'function' ? (collection as () => Api['contacts'])() : collection
    for await (const { items } of all.list({ limit })) {
      records.push(...items)
      pages += 1
    }
    const unnamed = records.filter(({ id }) => idText(id) === undefined).length
    if (unnamed > 0) return failed(`${unnamed} of ${records.length} records have no id at ${idPlace(api, resource)}`)
    const isOrdered = pages < 2 || !['page', 'offset'].includes(paging.by) || hasOrder(api, resource)
    const seen = `${records.length} records, ${pages} ${pages === 1 ? 'page' : 'pages'}`
    return isOrdered
      ? { state: 'ok', seen }
      : { state: 'warn', seen: `${seen}; pages by ${paging.by} without an order` }
  })
  const [first] = records
  const id = first && idText(first.id)
  if (list.state === 'failed' || !first || id === undefined || !connector.offers(resource, 'get')) return [list]
  const get = await attempt(plural, 'get', async () => {
    const collection = api[plural as 'contacts']
    const record = await collection.get(id)
    if (!record) return failed(`${id} of the list is not found`)
    const other = Object.keys(first).filter((name) => !isSameJson(record[name], first[name]))
    return other.length === 0
      ? { state: 'ok', seen: `${id}, as in the list` }
      : { state: 'warn', seen: `${id} differs from the list in ${other.slice(0, 5).join(', ')}` }
  })
  return [list, get]
}

function idPlace({ connector }: Api, resource: Resource): string {
  return connector.document.resources[resource]?.id.at ?? 'id'
}

const ORDER = /sort|order/i

function hasOrder({ connector }: Api, resource: Resource): boolean {
  const list = connector.document.resources[resource]?.list
  return ORDER.test(Object.keys(list?.query ?? {}).join(' ')) || ORDER.test(JSON.stringify(list?.body ?? null))
}

async function checkWrites({ contacts, connector }: Api): Promise<readonly Check[]> {
  const mark = crypto.randomUUID()
  const sent = { name: 'crm connectors check', email: `crm-check-${mark}@example.invalid` }
  const key = { idempotencyKey: undefined, ifMatch: undefined }
  let id: string | undefined
  const create = await attempt('contacts', 'create', async () => {
    const record = await contacts.create(sent, { ...key, isIdNeeded: true })
    id = idText(record.id)
    return same(record, sent)
  })
  const made = id
  if (made === undefined) return [create]
  const steps: Check[] = [create]
  if (connector.offers('contact', 'update')) {
    steps.push(
      await attempt('contacts', 'update', async () => {
        const record = await contacts.update(made, { name: 'crm connectors check, changed' }, key)
        return same(record, { ...sent, name: 'crm connectors check, changed' })
      }),
    )
  }
  steps.push(
    await attempt('contacts', 'delete', async () => {
      await contacts.delete(made, key)
      if (!connector.offers('contact', 'get')) return { state: 'ok', seen: made }
      return (await contacts.get(made)) ? failed(`${made} is still there`) : { state: 'ok', seen: `${made} is gone` }
    }),
  )
  return steps
}

type Result = Pick<Check, 'state' | 'seen'>

function failed(seen: string): Result {
  return { state: 'failed', seen }
}

function same(record: CrmRecord, sent: JsonObject): Result {
  const other = Object.keys(sent).filter((name) => !isSameJson(record[name], sent[name]))
  return other.length === 0
    ? { state: 'ok', seen: idText(record.id) ?? '' }
    : failed(
        `the answer shows another ${other.join(' and ')}: ${JSON.stringify(other.map((name) => record[name] ?? null))}`,
      )
}

async function attempt(resource: string, operation: string, work: () => Promise<Result>): Promise<Check> {
  try {
    return { resource, operation, ...(await work()) }
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return { resource, operation, state: 'failed', seen: error.message, failure: error }
  }
}
