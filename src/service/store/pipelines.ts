import { CrmError } from '../../core/errors.ts'
import type { Session, Transaction, Value } from './sql.ts'
import type { Pipeline, Stage } from './store.ts'

type Row = readonly [
  pipelineId: string,
  pipelineName: string,
  id: string,
  name: string,
  position: number,
  probability: number | null,
]

/** One statement, as two could see two states. */
export async function readPipelines(session: Session): Promise<readonly Pipeline[]> {
  const rows = await session.all<Row>(
    `SELECT pipelines.id, pipelines.name, stages.id, stages.name, position, probability
      FROM pipelines JOIN stages ON stages.pipeline_id = pipelines.id ORDER BY pipelines.place, position, stages.place`,
  )
  const pipelines = new Map<string, Pipeline & { readonly stages: Stage[] }>()
  for (const [pipelineId, pipelineName, id, name, position, probability] of rows) {
    const pipeline = pipelines.get(pipelineId) ?? { id: pipelineId, name: pipelineName, stages: [] }
    pipeline.stages.push({ id, name, position, probability: probability ?? undefined })
    pipelines.set(pipelineId, pipeline)
  }
  return [...pipelines.values()]
}

/** Replaces all pipelines by the given ones. */
export async function replacePipelines(tx: Transaction, pipelines: readonly Pipeline[]): Promise<void> {
  checkPipelines(pipelines)
  const { bounded } = tx.dialect
  for (const { pipelineId, stage } of droppedStages(await readPipelines(tx), pipelines)) {
    const [dealCount] = (await tx.get<[number]>(
      'SELECT count(*) FROM deals WHERE stage = $1 AND pipeline_id = $2',
      bounded(stage.name),
      bounded(pipelineId),
    )) ?? [0]
    if (dealCount > 0) throw stageInUse(pipelineId, stage.name, dealCount)
  }
  await tx.run('DELETE FROM pipelines')
  for (const [sql, ...values] of pipelineStatements(pipelines)) await tx.run(sql, ...values)
}

/** The statements that add pipelines. */
export function pipelineStatements(
  pipelines: readonly Pipeline[],
): readonly (readonly [sql: string, ...values: Exclude<Value, readonly unknown[]>[]])[] {
  return pipelines.flatMap(({ id, name, stages }, place) => [
    ['INSERT INTO pipelines (place, id, name) VALUES ($1, $2, $3)', place, id, name] as const,
    ...stages.map(
      (stage, at) =>
        [
          'INSERT INTO stages (pipeline_id, place, id, name, position, probability) VALUES ($1, $2, $3, $4, $5, $6)',
          ...([id, at, stage.id, stage.name, stage.position, stage.probability ?? null] as const),
        ] as const,
    ),
  ])
}

/** The pipeline of a new database. */
export function defaultPipeline(): Pipeline {
  return {
    id: 'sales',
    name: 'Sales',
    stages: [
      { id: 'sales.lead', name: 'Lead', position: 1, probability: 0.1 },
      { id: 'sales.qualified', name: 'Qualified', position: 2, probability: 0.25 },
      { id: 'sales.proposal', name: 'Proposal', position: 3, probability: 0.5 },
      { id: 'sales.negotiation', name: 'Negotiation', position: 4, probability: 0.75 },
      { id: 'sales.won', name: 'Won', position: 5, probability: 1 },
      { id: 'sales.lost', name: 'Lost', position: 6, probability: 0 },
    ],
  }
}

/** Checks that pipelines and stages are distinct and not empty. */
function checkPipelines(pipelines: readonly Pipeline[]): void {
  if (pipelines.length === 0) {
    throw new CrmError('invalid_input', 'no pipeline is given; deals need at least one', {
      hint: 'name at least one pipeline with at least one stage',
    })
  }
  rejectDuplicates('pipeline', pipelines, (pipeline) => pipeline.id)
  for (const { id, stages } of pipelines) {
    if (stages.length === 0) {
      throw new CrmError('invalid_input', `pipeline ${id} has no stage`, { hint: 'name at least one stage' })
    }
    rejectDuplicates(`stage of pipeline ${id}`, stages, (stage) => stage.name)
    rejectDuplicates(`stage id of pipeline ${id}`, stages, (stage) => stage.id)
  }
}

/** The current stages that are missing in `next`. Deals refer to a stage by its name. */
function droppedStages(
  current: readonly Pipeline[],
  next: readonly Pipeline[],
): readonly { readonly pipelineId: string; readonly stage: Stage }[] {
  const kept = new Set(next.flatMap(({ id, stages }) => stages.map(({ name }) => JSON.stringify([id, name]))))
  return current
    .flatMap(({ id, stages }) => stages.map((stage) => ({ pipelineId: id, stage })))
    .filter(({ pipelineId, stage }) => !kept.has(JSON.stringify([pipelineId, stage.name])))
}

function stageInUse(pipelineId: string, stageName: string, dealCount: number): CrmError {
  const deals = dealCount === 1 ? '1 deal is' : `${dealCount} deals are`
  return new CrmError('conflict', `stage ${stageName} of pipeline ${pipelineId} cannot be dropped: ${deals} in it`, {
    hint: `crm deals list --filter pipeline_id=${pipelineId} --filter stage=${JSON.stringify(stageName)}`,
  })
}

function rejectDuplicates<T>(what: string, items: readonly T[], nameOf: (item: T) => string): void {
  const seen = new Set<string>()
  for (const item of items) {
    const name = nameOf(item)
    if (seen.has(name)) {
      throw new CrmError('invalid_input', `duplicate ${what} ${name}`, { hint: 'give each a different name' })
    }
    seen.add(name)
  }
}
