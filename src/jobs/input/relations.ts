import type { LinkFields } from '../../connector/document.ts'
import type { Field } from '../../core/resources/field.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Relation } from './row.ts'

/** Fields with links. Records of an object that only this server has are named by their ids until it is known. */
export function linksOf(links: LinkFields['fields']): readonly Relation[] {
  return Object.entries(links).map(([field, { to, noun }]) => ({
    ...{ field, to: Object.hasOwn(RESOURCES, to) ? to : undefined, isMany: true, isLink: true },
    names: [field, field.replace(/_ids?$/, ''), to, noun],
  }))
}

/** The fields of an object that refer to others, or have several values, as far as a server has them. */
export function relationsOf(resource: Resource, isOffered: (field: string) => boolean): readonly Relation[] {
  const all = Object.entries<Field>(RESOURCES[resource].fields)
  const to = all.flatMap(([, field]) => field.to ?? [])
  return all.flatMap(([field, { to: target, type }]) => {
    if ((target === undefined && type !== 'texts') || !isOffered(field)) return []
    const resource = target as Resource | undefined
    const isOnly = resource !== undefined && to.filter((each) => each === resource).length === 1
    const words = isOnly ? [RESOURCES[resource].singular, RESOURCES[resource].plural] : []
    return [{ field, to: resource, isMany: type === 'texts', names: [field, field.replace(/_ids?$/, ''), ...words] }]
  })
}
