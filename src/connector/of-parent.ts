import type { JsonValue } from '../core/json.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { ConnectorDocument, ResourceDocument } from './document.ts'

/** The objects that records of this one may be on, as far as they are known; that of the contract where its connector names none. */
export function parentsIn({ resources }: ConnectorDocument, resource: Resource): readonly Resource[] {
  const { parent: usual }: ResourceDefinition = RESOURCES[resource]
  const named = Object.keys(resources[resource]?.parents ?? {}) as Resource[]
  const parents = named.filter((of) => Object.hasOwn(RESOURCES, of))
  return parents.length > 0 || usual === undefined ? parents : [usual]
}

/** `{on.NAME}` in the texts of an object whose records belong to several others. */
const ON = /\{on\.([\w-]+)\}/g

/** In place of a name that is not there: no text of a connector has it. */
const NOTHING = '\u0000'

/**
 * What is said of the records of one kind of parent: `{on.NAME}` is what the connector has under this name for it. Without, a text is
 * empty there, and a member with nothing else is left out.
 */
export function ofParent(described: ResourceDocument, of: Resource | undefined): ResourceDocument {
  const { parents } = described
  if (!parents) return described
  const names = (of && parents[of]) ?? {}
  const filled = JSON.parse(JSON.stringify(described), (_, value: JsonValue) => {
    if (typeof value !== 'string') return value
    const text = value.replaceAll(ON, (_, name: string) => names[name] ?? NOTHING)
    return text === NOTHING ? undefined : text.replaceAll(NOTHING, '')
  })
  return { ...filled, parents, parent: of ?? described.parent }
}
