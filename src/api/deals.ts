import type { Wire } from '../core/wire.ts'
import type { Api } from './api.ts'
import { createRecord } from './create-record.ts'
import type { Http } from './http.ts'
import { listPages } from './pages.ts'

const PATH = '/v1/deals'

export function createDeals(http: Http, wire: Wire): Api['deals'] {
  const list: Api['deals']['list'] = (query) => {
    const call = { path: PATH, action: 'list deals', command: 'crm deals list', findCommand: undefined }
    return listPages(http, call, query, wire)
  }
  return {
    list,
    create: (fields, { idempotencyKey, isIdNeeded, signal, isLetFinish }) =>
      createRecord(
        http,
        {
          method: 'POST',
          path: PATH,
          body: fields,
          idempotencyKey,
          isIdNeeded,
          signal,
          isLetFinish,
          action: 'create the deal',
          command: 'crm deals create',
          findCommand: undefined,
        },
        () => list({ limit: undefined, cursor: undefined, filters: {}, signal }),
      ),
  }
}
