import type { LinkFields } from '../../connector/document.ts'
import type { Field } from '../../core/resources/field.ts'
import { parentMember } from '../../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Relation } from './row.ts'

/** Fields with links. Records of an object that only this server has are named by their ids until it is known. */
export function linksOf(links: LinkFields['fields']): readonly Relation[] {
  return Object.entries(links).map(([field, { to, noun }]) => ({
    ...{ field, to: Object.hasOwn(RESOURCES, to) ? to : undefined, isMany: true, isLink: true },
    names: [field, field.replace(/_ids?$/, ''), to, noun],
  }))
}

/** What a note may be on: a column names it as a reference does. */
export function parentRelations(parents: readonly Resource[]): readonly Relation[] {
  return parents.map((to) => {
    const { singular, plural } = RESOURCES[to]
    return { field: parentMember(to), to, isMany: false, isParent: true, names: [parentMember(to), singular, plural] }
  })
}

type Described = Readonly<Record<string, { readonly to?: Resource | undefined }>>

/** The fields of an object that refer to others, or have several values, as far as a connector has them: as crm or the connector says. */
export function relationsOf(resource: Resource, described: Described): readonly Relation[] {
  const own: Readonly<Record<string, Field>> = RESOURCES[resource].fields
  const all = Object.entries(described).map(([field, { to }]) => {
    const { type, to: usual } = Object.hasOwn(own, field) ? (own[field] ?? {}) : {}
    return { field, type, to: to ?? (usual as Resource | undefined) }
  })
  const targets = all.flatMap(({ to }) => to ?? [])
  return all.flatMap(({ field, type, to }) => {
    if (to === undefined && type !== 'texts') return []
    const isOnly = to !== undefined && targets.filter((each) => each === to).length === 1
    const words = isOnly ? [RESOURCES[to].singular, RESOURCES[to].plural] : []
    return [{ field, to, isMany: type === 'texts', names: [field, field.replace(/_ids?$/, ''), ...words] }]
  })
}
