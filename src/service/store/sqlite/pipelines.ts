import { checkPipelines, droppedStages, stageInUse } from '../pipeline-rules.ts'
import type { Pipeline, Stage } from '../store.ts'
import { type Connection, inTransaction } from './connection.ts'

type StageRow = readonly [pipelineId: string, id: string, name: string, position: number, probability: number | null]

export function readPipelines(db: Connection): readonly Pipeline[] {
  const stagesOf = new Map<string, Stage[]>()
  for (const [pipelineId, id, name, position, probability] of db.all<StageRow>(
    'SELECT pipeline_id, id, name, position, probability FROM stages ORDER BY position, rowid',
  )) {
    const stages = stagesOf.get(pipelineId) ?? []
    stages.push({ id, name, position, probability: probability ?? undefined })
    stagesOf.set(pipelineId, stages)
  }
  return db
    .all<readonly [string, string]>('SELECT id, name FROM pipelines ORDER BY place')
    .map(([id, name]) => ({ id, name, stages: stagesOf.get(id) ?? [] }))
}

/** Replaces all pipelines by the given ones. */
export function replacePipelines(db: Connection, pipelines: readonly Pipeline[]): void {
  checkPipelines(pipelines)
  inTransaction(db, () => {
    for (const { pipelineId, stage } of droppedStages(readPipelines(db), pipelines)) {
      const [dealCount] = db.get<[number]>(
        'SELECT count(*) FROM deals WHERE stage = ? AND pipeline_id = ?',
        stage.name,
        pipelineId,
      ) ?? [0]
      if (dealCount > 0) throw stageInUse(pipelineId, stage.name, dealCount)
    }
    db.run('DELETE FROM pipelines')
    insertPipelines(db, pipelines)
  })
}

export function insertPipelines(db: Connection, pipelines: readonly Pipeline[]): void {
  for (const { id, name, stages } of pipelines) {
    db.run('INSERT INTO pipelines (id, name) VALUES (?, ?)', id, name)
    for (const stage of stages) {
      db.run(
        'INSERT INTO stages (pipeline_id, id, name, position, probability) VALUES (?, ?, ?, ?, ?)',
        id,
        stage.id,
        stage.name,
        stage.position,
        stage.probability ?? null,
      )
    }
  }
}
