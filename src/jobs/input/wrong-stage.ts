import type { JsonValue } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'

export interface WrongStage {
  readonly shown: string
  /** What was expected. */
  readonly message: string
}

/** Undefined for a stage that a deal can have, and where that is not known. */
export function wrongStage(
  stage: JsonValue | undefined,
  stages: readonly string[] | undefined,
): WrongStage | undefined {
  if (!stages || stage === undefined || (typeof stage === 'string' && stages.includes(stage))) return undefined
  const shown = typeof stage === 'string' ? stage : JSON.stringify(stage)
  const meant = nearest(shown, stages)
  return { shown, message: meant === undefined ? `expected one of ${stages.join(', ')}` : `did you mean ${meant}?` }
}
