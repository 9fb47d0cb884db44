import { checkPipelines, droppedStages, stageInUse } from '../pipeline-rules.ts'
import type { Pipeline, Stage } from '../store.ts'
import { bounded } from './bounded-text.ts'
import type { Session, Transaction } from './database.ts'

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

/** Replaces all pipelines by the given ones, in a transaction that writes. */
export async function replacePipelines(tx: Transaction, pipelines: readonly Pipeline[]): Promise<void> {
  for (const { pipelineId, stage } of droppedStages(await readPipelines(tx), pipelines)) {
    const [dealCount] = (await tx.get<[number]>(
      'SELECT count(*) FROM deals WHERE stage = $1 AND pipeline_id = $2',
      bounded(stage.name),
      bounded(pipelineId),
    )) ?? [0]
    if (dealCount > 0) throw stageInUse(pipelineId, stage.name, dealCount)
  }
  await tx.run('DELETE FROM pipelines')
  await insertPipelines(tx, pipelines)
}

export async function insertPipelines(tx: Transaction, pipelines: readonly Pipeline[]): Promise<void> {
  checkPipelines(pipelines)
  for (const [place, { id, name, stages }] of pipelines.entries()) {
    await tx.run('INSERT INTO pipelines (place, id, name) VALUES ($1, $2, $3)', place, id, name)
    for (const [at, stage] of stages.entries()) {
      await tx.run(
        'INSERT INTO stages (pipeline_id, place, id, name, position, probability) VALUES ($1, $2, $3, $4, $5, $6)',
        id,
        at,
        stage.id,
        stage.name,
        stage.position,
        stage.probability ?? null,
      )
    }
  }
}
