import type { JsonObject, JsonValue } from '../../core/json.ts'

/** JSON.stringify gives up some thousands of levels deep, depending on what called it; nothing real comes near this. */
export const MAX_JSON_DEPTH = 1000

export interface JsonSurvey {
  isTooDeep: boolean
  /** Whether a number is -0, or so large or so small that its exponent may have been too much for a double. */
  hasExtremes: boolean
  /** A zero may be what is left of a number that was too small. */
  hasZeros: boolean
}

export function surveyJson(json: JsonValue): Readonly<JsonSurvey> {
  const survey = { isTooDeep: false, hasExtremes: false, hasZeros: false }
  if (typeof json === 'object' && json !== null) lookInside(json, MAX_JSON_DEPTH, survey)
  return survey
}

function lookInside(holder: JsonObject | JsonValue[], levelsLeft: number, survey: JsonSurvey): void {
  if (levelsLeft === 0) survey.isTooDeep = true
  else if (Array.isArray(holder)) for (const item of holder) look(item, levelsLeft, survey)
  // Parsed JSON inherits no names; Object.values would cost twice as much.
  else for (const name in holder) look(holder[name] ?? null, levelsLeft, survey)
}

function look(value: JsonValue, levelsLeft: number, survey: JsonSurvey): void {
  if (typeof value === 'object' && value !== null) lookInside(value, levelsLeft - 1, survey)
  else if (Object.is(value, 0)) survey.hasZeros = true
  else if (typeof value === 'number') survey.hasExtremes ||= isExtreme(Math.abs(value))
}

function isExtreme(size: number): boolean {
  return size < 1e-84 || size > 1e84
}
