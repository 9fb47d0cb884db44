import { unknownCursor } from '../cursor.ts'
import { PAGE_PARAMETERS, pageReply, readPlace } from '../page.ts'
import { notFound } from '../problem.ts'
import type { Call, Reply, Route } from '../route.ts'
import type { Store } from '../store/store.ts'

export const pipelineRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/pipelines/:id/stages', scope: 'read', parameters: PAGE_PARAMETERS, handle: listStages },
]

/** In order of position, paged over the current pipeline. */
async function listStages(store: Store, call: Call): Promise<Reply> {
  const { limit, olderThanId } = readPlace(call)
  const pipeline = (await store.pipelines()).find((each) => each.id === call.id)
  if (!pipeline) throw notFound('pipeline', call.id)
  const last = pipeline.stages.findIndex((stage) => stage.id === olderThanId)
  // Starting over would make a client loop.
  if (olderThanId !== undefined && last < 0) throw unknownCursor(call.query.cursor ?? '')
  const start = last + 1
  const stages = pipeline.stages.slice(start, start + limit)
  const isLast = start + limit >= pipeline.stages.length
  return pageReply(call, {
    texts: stages.map((stage) => JSON.stringify(stage)),
    nextOlderThanId: isLast ? undefined : stages.at(-1)?.id,
  })
}
