import type { Members } from '../json-text.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import { oneOf, READ_ONLY_RULES, type Rule, type Rules, requireRules, rulesOf, textOf } from './rules.ts'

/** The rule of pipeline_id depends on the existing pipelines. */
const { pipeline_id: _, ...RULES } = rulesOf('deal')

/** Rules of a new deal without read-only fields. Pipeline and stage depend on the existing pipelines. */
export const DEAL_RULES: Rules = { ...READ_ONLY_RULES, ...RULES }

export function requireDeal(fields: Members, pipelines: readonly Pipeline[]): DealColumns {
  return readDeal(fields, pipelines, DEAL_RULES)
}

/** The columns of a whole deal; the stage must belong to the pipeline. */
export function readDeal(fields: Members, pipelines: readonly Pipeline[], rules: Rules = RULES): DealColumns {
  const pipelineId = textOf(fields.get('pipeline_id'))
  const pipeline = pipelines.find((each) => each.id === pipelineId)
  const choice: Rules = pipeline ? { stage: stageRule(pipeline) } : { pipeline_id: pipelineRule(pipelines) }
  requireRules(fields, { ...rules, ...choice })
  const amount = fields.get('amount')
  return {
    name: textOf(fields.get('name')) ?? '',
    stage: textOf(fields.get('stage')) ?? '',
    ownerId: textOf(fields.get('owner_id')) ?? null,
    pipelineId: pipeline?.id ?? '',
    amount: amount === undefined || amount === 'null' ? null : Number(amount),
  }
}

function stageRule({ stages }: Pipeline): Rule {
  return oneOf(stages.map((each) => each.name))
}

function pipelineRule(pipelines: readonly Pipeline[]): Rule {
  return oneOf(pipelines.map((each) => each.id))
}
