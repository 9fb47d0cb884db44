import type { Wire } from '../core/wire.ts'
import type { Api, ListQuery } from './api.ts'
import type { Http } from './http.ts'
import { listPages } from './pages.ts'
import { encodeSegment } from './path.ts'

const FIND_COMMAND = 'crm pipelines list'

const ALL: ListQuery = { limit: undefined, cursor: undefined, filters: {} }

export function createPipelines(http: Http, wire: Wire): Api['pipelines'] {
  return {
    stages: (pipelineId, { signal } = {}) => {
      const path = `/v1/pipelines/${encodeSegment(pipelineId, 'pipeline', FIND_COMMAND)}/stages`
      const action = `list the stages of pipeline ${pipelineId}`
      const call = { path, action, command: 'crm pipelines stages', findCommand: FIND_COMMAND }
      // Stages are few, and no server is known to page them on request.
      return listPages(http, call, { ...ALL, signal }, { ...wire, pageSize: undefined })
    },
  }
}
