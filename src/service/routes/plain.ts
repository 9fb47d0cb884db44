import { PLAIN_RESOURCES, type PlainResource, RESOURCES } from '../../core/resources/registry.ts'
import { readBody } from '../body.ts'
import { readIfMatch } from '../if-match.ts'
import { joinedPageReply, PAGE_PARAMETERS, readPage } from '../page.ts'
import { creation, deletion, update } from '../plain-changes.ts'
import type { Route } from '../route.ts'
import { write } from '../write.ts'

export const plainRoutes: readonly Route[] = PLAIN_RESOURCES.flatMap(routesOf)

function routesOf(resource: PlainResource): readonly Route[] {
  const { path } = RESOURCES[resource]
  return [
    {
      method: 'GET',
      path,
      scope: 'read',
      parameters: PAGE_PARAMETERS,
      handle: async (store, call) => joinedPageReply(call, await store.joinedPage(resource, readPage(call, resource))),
    },
    {
      method: 'POST',
      path,
      scope: 'write',
      parameters: [],
      handle: async (store, call) => write(store, call, creation(resource, readBody(call))),
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      scope: 'write',
      parameters: [],
      handle: async (store, call) => {
        const change = { patch: readBody(call), expected: readIfMatch(call.headers['if-match']) }
        return write(store, call, update(resource, call.id, change))
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      scope: 'write',
      parameters: [],
      handle: async (store, call) =>
        write(store, call, deletion(resource, call.id, readIfMatch(call.headers['if-match']))),
    },
  ]
}
