import type { ApiTarget, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { commandLine } from '../command-line.ts'

/** Asks for one contact. A key without the right to read is a key all the same; `name` is the profile that it is for. */
export async function verifyKey(ctx: Context, target: ApiTarget, name: string): Promise<void> {
  const api = await ctx.api(target)
  try {
    for await (const _ of api.contacts.list({ limit: 1, cursor: undefined, filters: {} })) break
  } catch (error) {
    if (error instanceof CrmError && error.code === 'forbidden') return
    throw error instanceof CrmError ? notVerified(ctx, error, { origin: target.baseUrl.origin, name }) : error
  }
}

function notVerified(
  ctx: Pick<Context, 'argv'>,
  error: CrmError,
  { origin, name }: { origin: string; name: string },
): CrmError {
  const { code, details } = error
  const login = commandLine(ctx.argv)
  if (code === 'unauthorized') {
    return new CrmError(code, `${origin} does not take this key; nothing was stored`, {
      ...details,
      hint: `${login}, with another key`,
    })
  }
  if (code !== 'bad_answer') return error
  return new CrmError(code, `${error.message}; nothing was stored`, {
    ...details,
    cause: error,
    hint: `if the address is right: ${login} --no-verify, and then let crm find out what it does differently: crm doctor --fix -p ${name}`,
  })
}
