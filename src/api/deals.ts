import type { Wire } from '../core/wire.ts'
import type { Api } from './api.ts'
import type { Http } from './http.ts'
import { listPages } from './pages.ts'
import { requestRecord } from './record.ts'

const PATH = '/v1/deals'

export function createDeals(http: Http, wire: Wire): Api['deals'] {
  return {
    list: (query) => {
      const call = { path: PATH, action: 'list deals', command: 'crm deals list', findCommand: undefined }
      return listPages(http, call, query, wire)
    },
    create: (fields, { idempotencyKey, isIdNeeded, signal }) =>
      requestRecord(http, {
        method: 'POST',
        path: PATH,
        body: fields,
        idempotencyKey,
        isIdNeeded,
        signal,
        action: 'create the deal',
        command: 'crm deals create',
        findCommand: undefined,
      }),
  }
}
