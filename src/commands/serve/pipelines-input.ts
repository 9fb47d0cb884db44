import type { Context } from '../../context.ts'
import { readInput } from '../../settings/read-input.ts'
import { parseDocument } from '../document.ts'

/** The pipelines of a JSON or YAML file, checked in full before anything is opened. */
export async function readPipelines(ctx: Context, name: string) {
  const value = await parseDocument(await readInput(ctx, name, '--pipelines'), { name, flag: '--pipelines' })
  const { parsePipelines } = await ctx.service.pipelines()
  return parsePipelines(value)
}
