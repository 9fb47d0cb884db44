import { constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import type { JobPaths } from '../journal/job-folder.ts'
import { operationValues } from './plan-contents.ts'
import { PlanFile } from './plan-file.ts'
import type { PlanOperation } from './plan-format.ts'
import { BeforeImages, PlanWriter } from './plan-writer.ts'

/** Copies a plan, with the values that it replaces. CrmError `usage` if a file of that name exists. */
export async function savePlan(paths: JobPaths, to: string): Promise<void> {
  if (existsSync(to)) throw exists(to)
  if (existsSync(paths.before)) await writeWithBefore(paths, to)
  else copyPlan(paths, to)
}

async function writeWithBefore(paths: JobPaths, to: string): Promise<void> {
  const [plan, images] = [new PlanFile(paths.plan), new BeforeImages(paths.before)]
  let writer: PlanWriter | undefined
  try {
    writer = new PlanWriter(to, plan.head)
    for (const operation of plan.all()) {
      const { head, body } = operation
      const record = await images.of(operation.op)
      const was = record && { was: JSON.stringify(replacedBy(operation, record)) }
      writer.add({ head: { ...head, ...was }, body: body?.toString('utf8') })
    }
    const { end: _, sha256: __, ...counts } = plan.end
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

/** Of a deletion all members, else those that it writes. */
function replacedBy(operation: PlanOperation, record: CrmRecord): JsonObject {
  const { body } = operationValues(operation)
  if (!body) return record
  return Object.fromEntries(Object.keys(body).map((name) => [name, record[name] ?? null]))
}

function copyPlan({ plan }: JobPaths, to: string): void {
  try {
    copyFileSync(plan, to, constants.COPYFILE_EXCL)
  } catch (cause) {
    throw errorCode(cause) === 'EEXIST' ? exists(to, cause) : toMachineError(cause, to)
  }
}

function exists(to: string, cause?: unknown): CrmError {
  return new CrmError('usage', `the file ${to} already exists`, { hint: 'name another one, or remove it', cause })
}
