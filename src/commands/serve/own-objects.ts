import type { Context } from '../../context.ts'
import { type DescribedObjects, defineOwnObjects } from '../../core/resources/own-objects.ts'
import { readInput } from '../../settings/read-input.ts'

/**
 * Makes the objects of a database, and those of a file of --objects, resources of this process; before the rest of the service is
 * loaded, which makes tables and routes of them. Returns those of the file.
 */
export async function defineObjectsOf(
  ctx: Pick<Context, 'env'>,
  address: string,
  file?: { readonly name: string; readonly text: string },
): Promise<DescribedObjects | undefined> {
  const { readStoredObjects } = await import('../../service/store/stored-objects.ts')
  const stored = await readStoredObjects(address, ctx.env)
  const described =
    file && (await import('../../connector/objects-file.ts')).readObjectsFile(file.name, file.text, stored)
  defineOwnObjects({ ...stored, ...described }, 'database')
  return described
}

export async function readObjectsInput(ctx: Context, name: string): Promise<{ name: string; text: string }> {
  return { name, text: await readInput(ctx, name, '--objects') }
}
