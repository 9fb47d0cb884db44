import type { Api } from '../../api/api.ts'
import type { ApiTarget, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { EXIT } from '../../core/exit.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { idText, isSameJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import type { NamedConnector } from '../../settings/target.ts'
import { verifyKey } from './store-key.ts'

/** What is logged in to, with which key, under which name. */
export interface Login extends Pick<ApiTarget, 'baseUrl' | 'key' | 'pageSize'> {
  readonly profileName: string
}

/** In what the server differs from `crm serve`, by one page of contacts and one record; undefined: in nothing. CrmError for other failures. */
export async function otherThanCrmServe(
  ctx: Pick<Context, 'argv' | 'flags'>,
  api: Api,
  login: Login,
): Promise<string | undefined> {
  try {
    const record = await verifyKey(ctx, api, login)
    return record && (await ofRecord(api, record))
  } catch (error) {
    const isOther = error instanceof CrmError && (error.exit === EXIT.rejected || error.exit === EXIT.notFound)
    if (isOther) return error.message
    throw error instanceof CrmError && error.code === 'unauthorized' ? withOtherAuth(ctx, login, error) : error
  }
}

/** The key may be right, and sent in another way than this server takes it. */
function withOtherAuth(ctx: Pick<Context, 'flags'>, login: Login, error: CrmError): CrmError {
  const { code, message, details } = error
  const probe = probeCommand(ctx, login, ' --auth header:X-API-Key')
  return new CrmError(code, message, {
    ...details,
    cause: error,
    hint: `${details.hint}; if this server takes keys otherwise than as a bearer token: ${probe}`,
  })
}

async function ofRecord(api: Api, record: CrmRecord): Promise<string | undefined> {
  const id = idText(record.id)
  if (id === undefined) return 'a contact of its list has no id'
  const single = await api.contacts.get(id)
  return single && isSameJson(single.id, record.id) ? undefined : `contact ${id} of its list is not found by its id`
}

/** Reads a server of another kind with the person, and writes its connector. CrmError `not_supported` with the command that does it. */
export async function readConnector(ctx: Context, login: Login, other: string): Promise<NamedConnector> {
  const { baseUrl, key, profileName } = login
  const what = `${baseUrl.origin} does not answer like crm serve: ${other}`
  if (!canAsk(ctx) || !(await askYesNo(ctx.io, `${what}. Read it, and write a connector for it? [y/N] `, ctx.signal))) {
    throw new CrmError('not_supported', `${what}; nothing was stored`, {
      hint: `describe it: ${probeCommand(ctx, login)}`,
    })
  }
  const { probeServer, sayPoints } = await import('../connectors/create-by-probe.ts')
  const { draftYaml } = await import('../../probe/openapi/draft-yaml.ts')
  const { connectorFile, writeConnector } = await import('../../settings/connector-files.ts')
  const draft = await probeServer(ctx, { baseUrl, key, name: undefined, given: new Map(), auth: undefined })
  const text = draftYaml(draft, { source: baseUrl.host, nowMs: ctx.now() })
  const file = connectorFile((await ctx.settings()).paths().folder, profileName, text)
  await writeConnector(file, text)
  ctx.note(`The connector is ${file}.`)
  sayPoints(ctx, draft, file)
  return { name: file, variables: {} }
}

function probeCommand({ flags }: Pick<Context, 'flags'>, { baseUrl, profileName }: Login, auth = ''): string {
  const { keyFile, isKeyOnStdin } = flags
  const key =
    keyFile === undefined ? (isKeyOnStdin ? ' --key-stdin < key.txt' : '') : ` --key-file ${shellWord(keyFile)}`
  const file = `${profileName}.yaml`
  return `crm connectors create --probe ${shellWord(baseUrlText(baseUrl))}${auth} --out ${shellWord(file)}${key}`
}
