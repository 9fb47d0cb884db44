import type { JsonObject, JsonValue } from '../core/json.ts'
import { type Path, readAll, readFirst } from './paths.ts'

type Read = (json: JsonObject) => JsonValue | undefined

/** As readFirst, or as readAll for a path through `[]`, compiled for the reading of many records. */
export function pathReader(path: Path): Read {
  const [first, second, third, ...more] = path.steps
  const walk: Read = path.steps.some(({ type }) => type === 'each')
    ? (json) => readAll(path, json)
    : (json) => readFirst(path, json)
  if (!isOwnMember(first) || more.length > 0) return walk
  const { name } = first
  if (!second) return (json) => json[name]
  if (second.type !== 'match' || second.name in {} || !isOwnMember(third)) return walk
  return matchReader(name, second, third.name)
}

/** What every object inherits is no member of a record. */
function isOwnMember(step: Path['steps'][number] | undefined): step is { type: 'member'; name: string } {
  return step?.type === 'member' && !(step.name in {})
}

/** `emails[primary=true].value`, which most records have. */
function matchReader(list: string, { name, value }: { name: string; value: JsonValue }, member: string): Read {
  const text = String(value)
  return (json) => {
    const elements = json[list]
    if (!Array.isArray(elements)) return undefined
    for (const element of elements) {
      const found = (element as JsonObject | null)?.[name]
      if (found !== value && (found === undefined || found === null || String(found) !== text)) continue
      return (element as JsonObject)[member]
    }
    return undefined
  }
}
