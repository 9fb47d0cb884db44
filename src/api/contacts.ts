import { shellWord } from '../core/shell-word.ts'
import type { Wire } from '../core/wire.ts'
import type { Api } from './api.ts'
import { createRecord } from './create-record.ts'
import type { Http } from './http.ts'
import { listPages } from './pages.ts'
import { encodeSegment } from './path.ts'
import { requestRecord, requestWrite } from './record.ts'

const PATH = '/v1/contacts'
const LIST_COMMAND = 'crm contacts list'

export function createContacts(http: Http, wire: Wire): Api['contacts'] {
  const list: Api['contacts']['list'] = (query) => {
    const call = { path: PATH, action: 'list contacts', command: LIST_COMMAND, findCommand: undefined }
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
          action: 'create the contact',
          command: 'crm contacts create',
          findCommand: undefined,
        },
        () => list({ limit: undefined, cursor: undefined, filters: {}, signal }),
      ),
    update: async (id, patch, { idempotencyKey, isIdNeeded, ifMatch, signal, isLetFinish }) =>
      requestRecord(http, {
        method: 'PATCH',
        path: contactPath(id),
        recordId: id,
        body: patch,
        idempotencyKey,
        isIdNeeded,
        ifMatch,
        signal,
        isLetFinish,
        action: `update contact ${id}`,
        command: 'crm contacts update',
        findCommand: LIST_COMMAND,
        showCommand: showCommand(id),
      }),
    delete: async (id, { ifMatch, signal, isLetFinish }) => {
      await requestWrite(http, {
        method: 'DELETE',
        path: contactPath(id),
        recordId: id,
        ifMatch,
        signal,
        isLetFinish,
        action: `delete contact ${id}`,
        command: 'crm contacts delete',
        findCommand: LIST_COMMAND,
        showCommand: showCommand(id),
      })
    },
  }
}

function showCommand(id: string): string {
  return `crm contacts get ${shellWord(id)}`
}

function contactPath(id: string): string {
  return `${PATH}/${encodeSegment(id, 'contact', LIST_COMMAND)}`
}
