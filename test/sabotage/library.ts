import type { Sabotage } from './sabotage.ts'

export const LIBRARY: readonly Sabotage[] = [
  {
    name: 'a webhook whose body was changed is accepted',
    file: 'src/library/verify-webhook.ts',
    line: 'const signed = joined(latin1(`${id}.${timestamp}.`), bytes)',
    to: 'const signed = joined(latin1(`${id}.${timestamp}.`), bytes.subarray(0, bytes.lastIndexOf(125) + 1))',
    tests: ['test/library/verify-webhook.test.ts'],
  },
  {
    name: 'an old webhook is accepted again',
    file: 'src/library/verify-webhook.ts',
    line: 'if (ageSeconds > toleranceSeconds) {',
    to: 'if (ageSeconds > toleranceSeconds * 1000) {',
    tests: ['test/library/verify-webhook.test.ts'],
  },
  {
    name: 'an escape sequence of a server stands in an error of the library',
    file: 'src/library/safe-errors.ts',
    line: 'const message = safeText(error.message)',
    to: 'const { message } = error',
    tests: ['test/library/client.test.ts'],
  },
  {
    name: 'an import of the library sends its rows a second time',
    file: 'src/library/import-rows.ts',
    line: "...{ isAgain: false, duplicates: 'error', part: undefined, listFindings: undefined, rejects: undefined },",
    to: "...{ isAgain: true, duplicates: 'error', part: undefined, listFindings: undefined, rejects: undefined },",
    tests: ['test/library/import-rows.test.ts'],
  },
  {
    name: 'an import whose rows failed is a success',
    file: 'src/library/import-rows.ts',
    line: 'if (result.error !== undefined) throw result.error',
    to: '',
    tests: ['test/library/import-rows.test.ts'],
  },
  {
    name: 'errors of a server lose the members that they name',
    file: 'src/api/errors/failure.ts',
    line: '...(fields.length === 0 ? {} : { fields }),',
    to: '',
    tests: ['test/library/client.test.ts'],
  },
  {
    name: 'a request of the library may set the key itself',
    file: 'src/library/create-client.ts',
    line: "return isTransportHeader(name) || name.toLowerCase() === 'authorization'",
    to: 'return isTransportHeader(name)',
    tests: ['test/library/client.test.ts'],
  },
  {
    name: 'an object of a server displaces that of another one',
    file: 'src/library/own-objects.ts',
    line: 'return isOwnObject(resource) ? [[plural, { ...object, one: resource }]] : []',
    to: 'return isOwnObject(resource) ? [[plural, object]] : []',
    tests: ['test/library/own-objects.test.ts'],
  },
]
