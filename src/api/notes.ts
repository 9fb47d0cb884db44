import { shellWord } from '../core/shell-word.ts'
import type { Api } from './api.ts'
import type { Http } from './http.ts'
import { encodeSegment } from './path.ts'
import { requestRecord } from './record.ts'

const LIST_COMMAND = 'crm deals list'

export function createNotes(http: Http): Api['notes'] {
  return {
    add: async (dealId, fields, { idempotencyKey, isIdNeeded, signal, isLetFinish }) =>
      requestRecord(http, {
        method: 'POST',
        path: `/v1/deals/${encodeSegment(dealId, 'deal', LIST_COMMAND)}/notes`,
        body: fields,
        idempotencyKey,
        isIdNeeded,
        signal,
        isLetFinish,
        action: `add the note to deal ${dealId}`,
        command: 'crm notes add',
        findCommand: LIST_COMMAND,
        lookCommand: `crm notes list ${shellWord(dealId)}`,
      }),
  }
}
