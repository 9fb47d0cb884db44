import { expect, test } from 'vitest'
import { failureReason } from '../../../src/service/delivery/transport.ts'

function connectError(code: string): Error {
  const message = `connect ${code} 10.1.2.3:443`
  return Object.assign(new Error(message), { code, syscall: 'connect', address: '10.1.2.3', port: 443 })
}

test.each(['ECONNREFUSED', 'EACCES', 'EADDRNOTAVAIL', 'EINVAL'])(
  'the reason of %s contains no resolved address',
  (code) => {
    for (const error of [connectError(code), new AggregateError([connectError(code), connectError(code)])]) {
      expect(failureReason(error)).toMatch(/connection/)
      expect(failureReason(error)).not.toContain('10.1.2.3')
    }
  },
)
