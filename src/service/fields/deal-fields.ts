import type { Members } from '../json-text.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import {
  filledText,
  numberOrNull,
  oneOf,
  READ_ONLY_RULES,
  type Rule,
  type Rules,
  requireRules,
  textOf,
  textOrNull,
} from './rules.ts'

const RULES: Rules = {
  ...READ_ONLY_RULES,
  name: filledText,
  stage: filledText,
  amount: numberOrNull,
  owner_id: textOrNull,
}

/** The columns of a new deal, in the first pipeline when it names none; its stage must be one of its pipeline. */
export function readDeal(fields: Members, pipelines: readonly Pipeline[]): DealColumns {
  const pipelineId = fields.has('pipeline_id') ? textOf(fields.get('pipeline_id')) : pipelines[0]?.id
  const pipeline = pipelines.find((each) => each.id === pipelineId)
  const choice: Rules = pipeline ? { stage: stageRule(pipeline) } : { pipeline_id: pipelineRule(pipelines) }
  requireRules(fields, { ...RULES, ...choice })
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
