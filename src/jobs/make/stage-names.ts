import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/exact-json.ts'
import { isJsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'

/** So many deals are looked at for the pipelines that they are in. */
const DEALS = 100

/**
 * Names that the stage of a deal can have. No documented endpoint lists pipelines, but deals name theirs: when the last
 * ones are all in one, its stages; undefined when they are not, for then nobody knows which of them a new deal goes to.
 * Where there are no deals GraphQL tells, if the server has it.
 */
export async function stageNames({ deals, pipelines, graphql }: Api): Promise<readonly string[] | undefined> {
  const ids = new Set<string>()
  for await (const { items } of deals.list({ limit: DEALS, cursor: undefined, filters: {} })) {
    for (const { pipeline_id: id } of items) ids.add(idText(id) ?? '')
  }
  const [id] = ids
  if (ids.size === 0) return await listedStages(graphql)
  if (!id || ids.size > 1) return undefined
  const names: string[] = []
  for await (const { items } of pipelines.stages(id)) {
    for (const { name } of items) if (typeof name === 'string') names.push(name)
  }
  return names
}

/** Of all pipelines: a name that none of them has is wrong wherever the deal goes. */
async function listedStages(graphql: Api['graphql']): Promise<readonly string[] | undefined> {
  const names = new Set<string>()
  try {
    for await (const { items } of graphql.list('pipelines', { limit: undefined, cursor: undefined, filters: {} })) {
      for (const pipeline of items) for (const name of stagesOf(pipeline)) names.add(name)
    }
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_supported') return undefined
    throw error
  }
  return names.size === 0 ? undefined : [...names]
}

function stagesOf({ stages }: CrmRecord): readonly string[] {
  if (!Array.isArray(stages)) return []
  return stages
    .map((stage) => (isJsonObject(stage) ? stage.name : undefined))
    .filter((name) => typeof name === 'string')
}
