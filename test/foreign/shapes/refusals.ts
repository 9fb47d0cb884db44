import type { Answered, ListShape } from '../shape.ts'

function refusal(name: string, json: unknown): ListShape {
  return { name, holds: 7, answer: () => ({ json }), right: 'refused' }
}

function list(name: string, holds: number, render: (all: Parameters<ListShape['answer']>[1]) => unknown): ListShape {
  return { name, holds, answer: (_asked, all): Answered => ({ json: render(all) }), right: 'complete' }
}

/** Refusals in a 200, in the place of a list or around an empty one. */
export const REFUSALS: readonly ListShape[] = [
  refusal('an array of an error (Salesforce)', [
    { message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' },
  ]),
  refusal('an array of an error text', [{ error: 'not authorised' }]),
  refusal('an error in data (Zoho)', {
    data: [{ status: 'error', code: 'NO_PERMISSION', message: 'permission denied' }],
  }),
  refusal('a code and msg', { code: 40101, msg: 'token expired', data: [] }),
  refusal('a message', { data: [], message: 'Invalid API key' }),
  refusal('a message with No', { data: [], message: 'No permission' }),
  refusal('a message with found', { data: [], message: 'User not found' }),
  refusal('a code in meta', { meta: { code: 403, error: 'denied' }, data: [] }),
  refusal('resultCode', { result: [], resultCode: 'ERROR', resultText: 'denied' }),
  refusal('state: indexing', { data: [], state: 'indexing' }),
  refusal('an empty list beside one with records', { data: [], items: [{ id: 'a' }] }),
]

/** Empty lists that are answered with words, and a list behind an empty one of another name. */
export const WORDED: readonly ListShape[] = [
  list('code 0 and success', 0, () => ({ code: 0, message: 'success', data: [] })),
  list('status: ok', 0, () => ({ status: 'ok', data: [] })),
  list('a message that there are none', 0, () => ({ message: 'No records found', data: [] })),
  list('a message that it worked', 0, () => ({ message: 'Contacts retrieved', data: [] })),
  list('success: true, and a message of any kind', 0, () => ({ success: true, message: 'Hallo', data: [] })),
  list('code 200 that is a text', 0, () => ({ code: '200', msg: 'OK', data: [] })),
  list('resultCode 0000', 0, () => ({ resultCode: '0000', resultText: 'processed', result: [] })),
  list('a meta that says 200', 0, () => ({ meta: { code: 200, message: 'fine' }, data: [] })),
  list('filters that speak of errors', 0, () => ({ filters: { status: 'error', code: 7 }, data: [] })),
  list('an empty list beside the one of its name', 7, (all) => ({ data: [], contacts: all })),
  list('records with an error of their own', 7, (all) => all.map((each) => ({ ...each, error: 'bounced' }))),
]
