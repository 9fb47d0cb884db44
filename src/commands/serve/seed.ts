import type { Context } from '../../context.ts'
import { counted, RECORD_RESOURCES } from '../../core/resources/registry.ts'
import type { SeedRules } from '../../service/seed.ts'
import type { Store } from '../../service/store/store.ts'
import { readInput } from '../../settings/read-input.ts'
import { parseJsonOrYaml } from '../document.ts'
import { isNewFile } from './database.ts'

export interface SeedFile {
  readonly name: string
  readonly value: unknown
}

/** Reads the seed before the database is opened. For a new database it is checked here, so that a mistake leaves no database. */
export async function readSeedFile(
  ctx: Context,
  name: string,
  { location, ...rules }: SeedRules & { readonly location: string },
): Promise<SeedFile> {
  const value = await parseJsonOrYaml(await readInput(ctx, name, '--seed'), { name, flag: '--seed' })
  if (isNewFile(location)) (await import('../../service/seed.ts')).parseSeed(value, rules)
  return { name, value }
}

/** Leaves a database with records unchanged, so that the same command can restart the service. */
export async function seedEmpty(ctx: Pick<Context, 'note'>, store: Store, { name, value }: SeedFile): Promise<void> {
  const { parseSeed, writeSeed } = await import('../../service/seed.ts')
  const seed = parseSeed(value, {
    pipelines: await store.pipelines(),
    uniqueMembers: await store.uniqueMembers(),
  })
  const { records } = await store.stats()
  if (Object.values(records).some((count) => count > 0))
    return ctx.note(`The database already contains records, so --seed ${name} was not loaded.`)
  const loaded = await writeSeed(store, seed)
  const counts = RECORD_RESOURCES.map((resource) => counted(loaded[resource], resource))
  ctx.note(`Loaded ${counts.slice(0, -1).join(', ')} and ${counts.at(-1)} from ${name}.`)
}

/** The pipelines of a JSON or YAML file, checked in full before anything is opened. */
export async function readPipelinesFile(ctx: Context, name: string) {
  const value = await parseJsonOrYaml(await readInput(ctx, name, '--pipelines'), { name, flag: '--pipelines' })
  const { parsePipelines } = await import('../../service/resources/pipelines.ts')
  return parsePipelines(value)
}
