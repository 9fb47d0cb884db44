import { existsSync, rmSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { replacedBy } from './plan-builder.ts'
import { operationValues } from './plan-contents.ts'
import { PlanFile } from './plan-file.ts'
import { BeforeImages, PlanWriter } from './plan-writer.ts'

/**
 * Writes a plan for another machine or another day, with the values that it replaces, and without what `apply` finds out anew or does
 * not do: how the server changes deals, and the file of `--rejects`. CrmError `usage` if a file of that name exists.
 */
export async function savePlan(paths: JobPaths, to: string): Promise<void> {
  if (existsSync(to)) throw exists(to)
  const [plan, images] = [new PlanFile(paths.plan), new BeforeImages(paths.before)]
  let writer: PlanWriter | undefined
  try {
    const { updates, rejects, ...head } = plan.head
    writer = new PlanWriter(to, head)
    for (const operation of plan.all()) {
      const record = await images.of(operation.op)
      const was = record && { was: JSON.stringify(replacedBy(operationValues(operation), record)) }
      writer.add({ head: { ...operation.head, ...was }, body: operation.body?.toString('utf8') })
    }
    const { end, sha256, unguarded, ...counts } = plan.end
    writer.end(counts)
    writer = undefined
  } catch (error) {
    writer?.close()
    if (writer) rmSync(to, { force: true })
    throw error
  } finally {
    plan.close()
    await images.close()
  }
}

function exists(to: string): CrmError {
  return new CrmError('usage', `the file ${to} already exists`, { hint: 'name another one, or remove it' })
}
