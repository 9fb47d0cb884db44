import type { Members } from '../json-text.ts'
import { invalidValues } from '../problem.ts'
import type { DealColumns, Pipeline } from '../store/store.ts'
import {
  filledText,
  numberOrNull,
  READ_ONLY_RULES,
  type Rule,
  type Rules,
  requireRules,
  textOf,
  textOrNull,
} from './rules.ts'

const textIfSent: Rule = (value) => (value === undefined ? undefined : filledText(value))

const RULES: Rules = {
  ...READ_ONLY_RULES,
  name: filledText,
  stage: filledText,
  amount: numberOrNull,
  owner_id: textOrNull,
  pipeline_id: textIfSent,
}

/** The columns of a new deal, in the first pipeline when it names none; its stage must be one of its pipeline. */
export function readDeal(fields: Members, pipelines: readonly Pipeline[]): DealColumns {
  requireRules(fields, RULES)
  const pipelineId = textOf(fields.get('pipeline_id'))
  const pipeline = pipelineId === undefined ? pipelines[0] : pipelines.find((each) => each.id === pipelineId)
  if (!pipeline)
    throw notOneOf(
      'pipeline_id',
      pipelineId ?? '',
      pipelines.map((each) => each.id),
    )
  const stages = pipeline.stages.map((each) => each.name)
  const stage = textOf(fields.get('stage')) ?? ''
  if (!stages.includes(stage)) throw notOneOf('stage', stage, stages)
  const amount = fields.get('amount')
  return {
    name: textOf(fields.get('name')) ?? '',
    stage,
    ownerId: textOf(fields.get('owner_id')) ?? null,
    pipelineId: pipeline.id,
    amount: amount === undefined || amount === 'null' ? null : Number(amount),
  }
}

function notOneOf(name: string, value: string, allowed: readonly string[]): ReturnType<typeof invalidValues> {
  const list = allowed.map((each) => JSON.stringify(each)).join(', ')
  const detail = `expected one of ${list}, not ${JSON.stringify(value)}`
  return invalidValues([{ pointer: `#/${name}`, code: 'not_allowed', detail }])
}
