import type { Api } from '../api/api.ts'
import { objectsOfServer } from '../api/own-objects.ts'
import { CrmError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import type { DescribedObjects } from '../core/resources/own-objects.ts'
import { RESOURCES, type Resource, resourceNamed } from '../core/resources/registry.ts'

/** Whether a server alone has it, because its users described it. */
export function isOwnObject(resource: Resource): boolean {
  const { isOwn }: ResourceDefinition = RESOURCES[resource]
  return isOwn === true
}

interface OwnObjects {
  /** An API that knows the object. CrmError `not_found` if the server has none of this noun. */
  openFor(noun: string): Promise<Api>
  close(): Promise<void>
}

/** The objects that a server alone has: it is asked for them when a noun is not known. */
export function ownObjects(
  open: () => Promise<Api>,
  openWith: (objects: DescribedObjects) => Promise<Api>,
): OwnObjects {
  const apis: Api[] = []
  let known: DescribedObjects = {}
  let asking: Promise<void> | undefined
  const ask = async () => {
    const found = definable(await objectsOfServer(await open()))
    if (Object.keys(found).every((noun) => Object.hasOwn(known, noun))) return
    apis.unshift(await openWith(found))
    known = found
  }
  return {
    openFor: async (noun) => {
      if (!Object.hasOwn(known, noun)) {
        asking ??= ask().finally(() => {
          asking = undefined
        })
        await asking
      }
      const [api] = apis
      if (api && Object.hasOwn(known, noun)) return api
      const meant = nearest(noun, Object.keys(known))
      throw new CrmError('not_found', `the server has no object ${JSON.stringify(noun)}`, {
        hint: meant === undefined ? 'crm objects' : `did you mean ${meant}?`,
      })
    },
    close: async () => {
      await Promise.all(apis.map((api) => api.close()))
    },
  }
}

/** Nothing that is defined is displaced: other clients of this process need objects of crm, and those of other servers. */
function definable(objects: DescribedObjects): DescribedObjects {
  return Object.fromEntries(
    Object.entries(objects).flatMap(([plural, object]) => {
      const resource = resourceNamed(plural)
      if (resource === undefined) {
        const one = Object.hasOwn(RESOURCES, object.one) ? `${plural}_record` : object.one
        return [[plural, { ...object, one }]]
      }
      return isOwnObject(resource) ? [[plural, { ...object, one: resource }]] : []
    }),
  )
}
