import type { Context } from '../../context.ts'
import type { DescribedObjects } from '../../core/resources/own-objects.ts'
import type { Pipeline, Store, UniqueMember } from '../../service/store/store.ts'
import type { StoreOptions } from '../../service/store/store-options.ts'
import { rememberDatabase } from './database.ts'
import { provideFirstKey, type Started } from './first-key.ts'
import { type SeedFile, seedEmpty } from './seed.ts'
import { applyUnique } from './unique.ts'

export interface Prepared {
  readonly address: string
  readonly location: string
  readonly objects: DescribedObjects | undefined
  readonly pipelines: readonly Pipeline[] | undefined
  readonly unique: readonly UniqueMember[] | undefined
  readonly seed: SeedFile | undefined
  readonly given: Started['given']
  readonly retention: StoreOptions['retention']
}

/** Opens the database with its pipelines and a key; makes it if it does not exist. */
export async function openPreparedStore(
  ctx: Context,
  {
    address,
    location,
    objects,
    pipelines,
    unique,
    seed,
    given,
    retention,
    observer,
  }: Prepared & Pick<StoreOptions, 'observer'>,
  url: string,
): Promise<Store> {
  const service = await import('../../service/store/open-store.ts')
  const store = await service.openStore({ address, env: ctx.env, now: ctx.now, sharesClock: true, retention, observer })
  try {
    if (pipelines) await store.putPipelines(pipelines)
    await applyUnique(ctx, { store, location }, unique)
    if (objects) await store.putObjects(objects)
    if (seed) await seedEmpty(ctx, store, seed)
    await provideFirstKey(ctx, { store, url, location, given })
    await rememberDatabase(ctx, { url, location })
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
