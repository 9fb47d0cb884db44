import { type JsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { type JobPaths, openJobPlan } from '../journal/job-folder.ts'
import type { OperationHead } from './plan-format.ts'
import { BeforeImages } from './plan-writer.ts'

/** An operation of a plan, with the record before it if that was kept. */
export interface PlannedChange {
  readonly do: OperationHead['do']
  readonly id: string | undefined
  readonly before: CrmRecord | undefined
  readonly body: JsonObject
}

/** All operations, in the order of the plan. */
export async function* planChanges(paths: JobPaths): AsyncGenerator<PlannedChange, void, undefined> {
  const plan = openJobPlan(paths)
  const images = new BeforeImages(paths.before)
  try {
    for (const { op, head, body } of plan.all()) {
      const fields = body ? (parseExactJson(body.toString('utf8')) as JsonObject) : {}
      yield { do: head.do, id: head.id, before: await images.of(op), body: fields }
    }
  } finally {
    await images.close()
    plan.close()
  }
}
