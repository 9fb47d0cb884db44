import type { Api } from '../../api/api.ts'
import { idText } from '../../core/exact-json.ts'

/** So many deals are looked at for the pipelines that they are in. */
const DEALS = 100

/**
 * Names that the stage of a deal can have. No documented endpoint lists pipelines, but deals name theirs: when the last
 * ones are all in one, its stages; undefined when they are not, for then nobody knows which of them a new deal goes to.
 */
export async function stageNames({ deals, pipelines }: Api): Promise<readonly string[] | undefined> {
  const ids = new Set<string>()
  for await (const { items } of deals.list({ limit: DEALS, cursor: undefined, filters: {} })) {
    for (const { pipeline_id: id } of items) ids.add(idText(id) ?? '')
  }
  const [id] = ids
  if (!id || ids.size > 1) return undefined
  const names: string[] = []
  for await (const { items } of pipelines.stages(id)) {
    for (const { name } of items) if (typeof name === 'string') names.push(name)
  }
  return names
}
