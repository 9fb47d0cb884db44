import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject } from '../../core/json.ts'
import { type WrongStage, wrongStage } from '../input/row-draft.ts'

/** The number of deals that are read for their pipelines. */
const DEALS = 100

/**
 * Valid names for the stage of a deal. No documented endpoint lists pipelines, but deals name theirs: if the last deals are
 * all in one pipeline, its stages; if not, undefined, because the pipeline of a new deal is unknown. Without deals, those of
 * all pipelines, if the server lists them.
 * Undefined also with a connector that lacks stages or deals.
 */
export async function stageNames(api: Api): Promise<readonly string[] | undefined> {
  const isListed = api.connector.offers('stage', 'list') && api.connector.offers('deal', 'list')
  return isListed ? stagesOfDeals(api) : undefined
}

async function stagesOfDeals(api: Api): Promise<readonly string[] | undefined> {
  const { deals, stages } = api
  const ids = new Set<string>()
  for await (const { items } of deals.list({ limit: DEALS, cursor: undefined, filters: {} })) {
    for (const { pipeline_id: id } of items) ids.add(idText(id) ?? '')
  }
  const [id] = ids
  if (ids.size === 0) {
    const listed = await listedStages(api)
    return listed && namesOf(listed)
  }
  if (!id || ids.size > 1) return undefined
  const names: string[] = []
  for await (const { items } of stages(id).list()) {
    for (const { name } of items) if (typeof name === 'string') names.push(name)
  }
  return names
}

/** The first of these names or ids that is not a stage of any pipeline; undefined if all are, or stages cannot be listed. */
export async function unknownStage(api: Api, stages: readonly string[]): Promise<WrongStage | undefined> {
  const listed = await listedStages(api)
  const ids = listed?.map(({ id }) => idText(id))
  const names = listed && namesOf(listed)
  const unknown = stages.find((stage) => !ids?.includes(stage) && wrongStage(stage, names))
  return wrongStage(unknown, names)
}

/** The stages of all pipelines: a name that none of them has is wrong for any deal. */
async function listedStages(api: Api): Promise<readonly JsonObject[] | undefined> {
  const listed: JsonObject[] = []
  const { connector, pipelines } = api
  try {
    if (connector.hasOneList('stage')) return await stagesIn(api, undefined)
    for await (const { items } of pipelines.list()) {
      for (const { id } of items) listed.push(...(await stagesIn(api, idText(id))))
    }
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_supported') return undefined
    throw error
  }
  return namesOf(listed).length === 0 ? undefined : listed
}

async function stagesIn({ stages }: Api, pipelineId: string | undefined): Promise<JsonObject[]> {
  const listed: JsonObject[] = []
  for await (const { items } of stages(pipelineId).list()) listed.push(...items)
  return listed
}

function namesOf(stages: readonly JsonObject[]): readonly string[] {
  return [...new Set(stages.map(({ name }) => name).filter((name) => typeof name === 'string'))]
}
