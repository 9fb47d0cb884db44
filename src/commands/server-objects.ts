import type { Api } from '../api/api.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import { type DescribedObjects, defineOwnObjects } from '../core/resources/own-objects.ts'
import { resourceNamed } from '../core/resources/registry.ts'
import { keepObjects, readKeptObjects } from '../settings/kept-objects.ts'
import { hasKeptObjects } from '../settings/objects-file.ts'
import { requireConnector } from '../settings/target.ts'

type Asking = Pick<
  Context,
  'api' | 'target' | 'tokens' | 'env' | 'now' | 'settings' | 'repository' | 'flags' | 'signal'
>

/** The objects that only this server has, by its connector and by itself, read now and kept for the profile. */
async function readServerObjects(ctx: Asking): Promise<DescribedObjects> {
  // Not the client of the command: that does not know what is defined later.
  const api = await ctx.api(undefined, ctx.signal)
  const objects = await (await import('../api/own-objects.ts')).objectsOfServer(api)
  // Nothing is written for a server that never had any.
  if (Object.keys(objects).length === 0 && !hasKeptObjects(ctx.env)) return objects
  const { profileName, baseUrl } = await ctx.target()
  await keepObjects(ctx.env, profileName, { server: baseUrlText(baseUrl), objects }, ctx.now())
  return objects
}

/**
 * A client that knows the objects that only this server has, and none of those that another one has. Where they cannot be read, a
 * note says so.
 */
export async function apiWithObjects(ctx: Asking & Pick<Context, 'note'>): Promise<Api> {
  let objects: DescribedObjects = {}
  try {
    objects = await readServerObjects(ctx)
  } catch (error) {
    if (!isRefusal(error)) throw error
    ctx.note(`${error.message}: only the objects of the connector are known`)
  }
  return clientFor(ctx, objects)
}

/** The same, with those that are not known yet made resources of this process; undefined where there are none. */
export async function learnServerObjects(ctx: Asking): Promise<Api | undefined> {
  try {
    const objects = await readServerObjects(ctx)
    if (Object.keys(objects).every((plural) => resourceNamed(plural))) return undefined
    defineOwnObjects(objects, 'server')
    return await clientFor(ctx, objects)
  } catch (error) {
    // The lists of the screens report what stands in their way; these are beside them.
    if (error instanceof CrmError) return undefined
    throw error
  }
}

function isRefusal(error: unknown): error is CrmError {
  return error instanceof CrmError && ['not_supported', 'forbidden'].includes(error.code)
}

async function clientFor(ctx: Asking, objects: DescribedObjects): Promise<Api> {
  const target = await ctx.target()
  const key = { key: target.key.value, tokens: await ctx.tokens() }
  return ctx.api({ ...target, ...key, connector: requireConnector(target), objects }, ctx.signal)
}

/**
 * Makes the objects of the server resources of this process, before commands are built of them: those that are kept for the
 * profile, and for a noun that is none of them, those that the server has now.
 */
export async function defineServerObjects(ctx: Asking, noun: string | undefined): Promise<void> {
  const choice = { env: ctx.env, profileFlag: ctx.flags.profile, repository: await ctx.repository() }
  const kept = hasKeptObjects(ctx.env) ? await readKeptObjects(await ctx.settings(), choice) : undefined
  if (kept) defineOwnObjects(kept, 'server')
  if (noun === undefined || (kept && Object.hasOwn(kept, noun))) return
  try {
    defineOwnObjects(await readServerObjects(ctx), 'server')
  } catch (error) {
    // Nothing to ask: the word is then no command.
    const passed = ['no_key', 'usage', 'not_supported']
    // A merge of records of crm needs no object whose fields only an administrator may read.
    if (resourceNamed(noun)) passed.push('forbidden')
    if (!(error instanceof CrmError && passed.includes(error.code))) throw error
  }
}
