import type { Context } from '../../context.ts'
import { type DealState, stateOfProbability, stateOfStatus } from '../../core/deal-end.ts'
import { type Decimal, decimalOf } from '../../core/decimal.ts'
import { CrmError } from '../../core/errors.ts'
import { idText } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

export interface DealStage {
  readonly name: string
  /** Undefined if the server does not state one. */
  readonly probability: Decimal | undefined
  readonly state: DealState | undefined
}

/** The stages of the pipelines of deals, each pipeline read once. */
export class DealStages {
  readonly #ctx: Pick<Context, 'api'>
  readonly #known = new Map<string, readonly DealStage[] | undefined>()

  constructor(ctx: Pick<Context, 'api'>) {
    this.#ctx = ctx
  }

  /** In order; undefined if the server lists no stages of this pipeline. */
  async of(pipelineId: string): Promise<readonly DealStage[] | undefined> {
    if (!this.#known.has(pipelineId)) this.#known.set(pipelineId, await this.#read(pipelineId))
    return this.#known.get(pipelineId)
  }

  /** Undefined if that is not known. */
  async stateOf(deal: CrmRecord): Promise<DealState | undefined> {
    const own = stateOfStatus(deal.status)
    if (own) return own
    const stages = await this.of(pipelineOf(deal))
    return stages?.find(({ name }) => name === deal.stage)?.state
  }

  async #read(pipelineId: string): Promise<readonly DealStage[] | undefined> {
    const api = await this.#ctx.api()
    const isOfAll = api.connector.hasOneList('stage')
    if (!isOfAll && pipelineId === '') return undefined
    const stages: CrmRecord[] = []
    try {
      for await (const { items } of api.stages(isOfAll ? undefined : pipelineId).list()) stages.push(...items)
    } catch (error) {
      if (error instanceof CrmError && UNLISTED.includes(error.code)) return undefined
      throw error
    }
    const own = stages.filter(
      ({ pipeline_id: id }) => id === undefined || pipelineId === '' || idText(id) === pipelineId,
    )
    return own.map(({ name, probability }) => ({
      ...{ name: String(name), probability: decimalOf(probability), state: stateOfProbability(probability) },
    }))
  }
}

const UNLISTED: readonly CrmError['code'][] = ['not_found', 'not_supported']

/** Empty if the server does not show one. */
export function pipelineOf({ pipeline_id: id }: CrmRecord): string {
  return idText(id) ?? ''
}
