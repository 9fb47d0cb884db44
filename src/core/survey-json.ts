import type { JsonValue } from './json.ts'

/** JSON.stringify gives up some thousands of levels deep, depending on what called it; nothing real comes near this. */
export const MAX_JSON_DEPTH = 1000

export interface JsonSurvey {
  readonly isTooDeep: boolean
  /** Whether a number is so large or so small, or nothing, that its exponent may have been too much for a double. */
  readonly hasExtremes: boolean
}

export function surveyJson(json: JsonValue): JsonSurvey {
  const found = { isTooDeep: false, hasExtremes: false }
  look(json, MAX_JSON_DEPTH, found)
  return found
}

function look(value: JsonValue, levelsLeft: number, found: { isTooDeep: boolean; hasExtremes: boolean }): void {
  if (typeof value === 'number') {
    const size = Math.abs(value)
    if (!(size > 1e-84 && size < 1e84)) found.hasExtremes = true
  } else if (typeof value === 'object' && value !== null) {
    if (levelsLeft === 0) found.isTooDeep = true
    else if (Array.isArray(value)) for (const item of value) look(item, levelsLeft - 1, found)
    // Parsed JSON inherits no names; Object.values would cost twice as much.
    else for (const name in value) look(value[name] ?? null, levelsLeft - 1, found)
  }
}
