import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { counted, RECORD_RESOURCES } from '../../core/resources/registry.ts'
import type { SeedRules } from '../../service/seed.ts'
import type { Store } from '../../service/store/store.ts'
import { readInput } from '../../settings/read-input.ts'
import { parseDocument } from '../document.ts'

export interface SeedFile {
  readonly name: string
  readonly value: unknown
}

/** Before anything is opened. What a database that is still to be made could not take is refused here, and leaves none behind. */
export async function readSeedFile(
  ctx: Context,
  name: string,
  { location, ...rules }: SeedRules & { readonly location: string },
): Promise<SeedFile> {
  const value = await parseDocument(await readInput(ctx, name, '--seed'), { name, flag: '--seed' })
  if (!existsSync(location)) (await ctx.service.seed()).parseSeed(value, rules)
  return { name, value }
}

/** A database that holds records is left as it is, so that a service can be started again with the same words. */
export async function seedEmpty(
  ctx: Pick<Context, 'note' | 'service'>,
  store: Store,
  { name, value }: SeedFile,
): Promise<void> {
  const { parseSeed, writeSeed } = await ctx.service.seed()
  const seed = parseSeed(value, {
    pipelines: await store.pipelines(),
    uniqueMembers: await store.uniqueMembers(),
  })
  const { records } = await store.stats()
  if (Object.values(records).some((count) => count > 0))
    return ctx.note(`The database holds records already, so --seed ${name} was not loaded.`)
  const sown = await writeSeed(store, seed)
  const counts = RECORD_RESOURCES.map((resource) => counted(sown[resource], resource))
  ctx.note(`Loaded ${counts.slice(0, -1).join(', ')} and ${counts.at(-1)} from ${name}.`)
}

/** The pipelines of a JSON or YAML file, checked in full before anything is opened. */
export async function readPipelines(ctx: Context, name: string) {
  const value = await parseDocument(await readInput(ctx, name, '--pipelines'), { name, flag: '--pipelines' })
  const { parsePipelines } = await ctx.service.pipelines()
  return parsePipelines(value)
}
