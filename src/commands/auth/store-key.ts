import type { Api } from '../../api/api.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { askYesNo, canAsk } from '../../output/prompt.ts'
import { keepInFile, keepInKeyring } from '../../settings/keep-key.ts'
import type { StoredKey } from '../../settings/stored-key.ts'
import { commandLine, withFlag } from '../command-line.ts'

const STORAGES = ['keyring', 'file'] as const

export type Storage = (typeof STORAGES)[number]

export function parseStorage(text: string): Storage {
  const storage = STORAGES.find((known) => known === text)
  if (storage) return storage
  throw new CrmError('usage', `--storage ${JSON.stringify(text)} is not a storage`, {
    hint: `expected: ${STORAGES.join(' or ')}`,
  })
}

/** Stores the key in the system keyring; without one, in a file if `storage` or the person allows it. Returns the place. */
export async function storeKey(
  ctx: Context,
  name: string,
  stored: StoredKey,
  storage: Storage | undefined,
): Promise<string> {
  const settings = await ctx.settings()
  if (storage !== 'file') {
    try {
      return await keepInKeyring(settings, name, stored)
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof CrmError)) throw error
      if (storage === 'keyring') throw withFileHint(ctx, error)
      await askConsent(ctx, error)
    }
  }
  await keepInFile(settings, name, stored, ctx.note)
  return settings.paths().keys
}

/** The hint is the whole command, because a shorter one would use the active profile. */
function withFileHint({ argv }: Pick<Context, 'argv'>, error: CrmError): CrmError {
  const hint = `unlock it, or keep the key in a file: ${withFlag(argv, '--storage', 'file')}`
  return new CrmError(error.code, error.message, { ...error.details, hint, cause: error })
}

async function askConsent(ctx: Context, noKeyring: CrmError): Promise<void> {
  const { keys } = (await ctx.settings()).paths()
  if (!canAsk(ctx)) {
    throw new CrmError('unconfirmed', `${noKeyring.message}; storing the key in the file ${keys} was not confirmed`, {
      cause: noKeyring,
      hint: `${commandLine(ctx.argv)} --storage file; or set CRM_API_KEY instead of logging in`,
    })
  }
  ctx.note(`Note: ${noKeyring.message}.`)
  if (await askYesNo(ctx.io, `Keep the key in the private file ${keys}? [y/N] `, ctx.signal)) return
  throw new CrmError('unconfirmed', 'not confirmed; nothing was stored', { hint: commandLine(ctx.argv) })
}

/** Requests one contact. CrmError of the refusal, with what the server says: nothing is stored. */
export async function verifyKey(
  ctx: Pick<Context, 'argv'>,
  api: Api,
  { baseUrl: { origin } }: { readonly baseUrl: URL },
): Promise<CrmRecord | undefined> {
  try {
    for await (const { items } of api.contacts.list({ limit: 1, cursor: undefined, filters: {} })) return items[0]
  } catch (error) {
    throw error instanceof CrmError ? notVerified(ctx, error, { origin, connector: api.connector.word }) : error
  }
  return undefined
}

function notVerified(
  { argv }: Pick<Context, 'argv'>,
  error: CrmError,
  { origin, connector }: { readonly origin: string; readonly connector: string },
): CrmError {
  const { code, details } = error
  if (code === 'unauthorized') {
    return new CrmError(code, `${origin} does not accept this key; nothing was stored`, {
      ...details,
      hint: `${commandLine(argv)}, with another key`,
    })
  }
  if (code === 'forbidden') {
    return new CrmError(code, `${error.message}; nothing was stored`, {
      ...details,
      cause: error,
      hint: `another key, or, for a key that may not read contacts: ${withFlag(argv, '--connector', connector)} --no-verify`,
    })
  }
  return error
}
