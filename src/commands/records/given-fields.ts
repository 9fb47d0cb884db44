import type { Context } from '../../context.ts'
import { type JsonObject, setAtPath } from '../../core/json.ts'
import { fieldOf, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import type { GivenFields, GivenMember, GivenRequest } from '../../jobs/plan/given-fields.ts'
import { chosenConnector } from '../dry-run.ts'
import { type FieldsOptions, readGiven } from '../fields-input.ts'

/** `--set` and `--data` as the columns of an import: references, labels, options, and names that no field has. */
export async function givenFields(
  ctx: Context,
  options: FieldsOptions,
  { resource, of }: { readonly resource: ListedResource; readonly of: GivenRequest['of'] },
): Promise<GivenFields> {
  const given = await readGiven(ctx, options, resource)
  const isContract = (await chosenConnector(ctx)) === undefined
  if (isContract && given.every((member) => isUsual(resource, member))) return { fields: merged(given), of: undefined }
  const isNewAllowed = options.newField === true
  return (await ctx.jobs()).given({ noun: RESOURCES[resource].plural, given, of, isNewAllowed, isContract })
}

/** Whether it is a field of crm that takes any value of its type: nothing else has to be loaded for it. */
function isUsual(resource: ListedResource, { name }: GivenMember): boolean {
  const { type, options } = fieldOf(resource, name) ?? {}
  return type !== undefined && options === undefined && type !== 'texts' && type !== 'date'
}

function merged(given: readonly GivenMember[]): JsonObject {
  const fields: JsonObject = {}
  for (const { path, value } of given) setAtPath(fields, path, value)
  return fields
}
