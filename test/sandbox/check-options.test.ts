import { expect, test } from 'vitest'
import { checkOptions } from '../../src/sandbox/start-sandbox.ts'

test('every option of a sandbox is accepted, also with an undefined value', () => {
  checkOptions({})
  checkOptions({ seed: ['demo.yaml'], seedEnv: { OWNER: 'u_1' }, latencyMs: 0, fail: { 'reset-after': 20 } })
  checkOptions({ rateLimit: { requests: 1, windowMs: 1000 }, clock: new Date(0), log: () => {}, seed: undefined })
})

test.each<[unknown, string]>([
  [null, 'startSandbox expects an object of options'],
  [{ sead: ['demo.yaml'] }, 'startSandbox has no option "sead"'],
  [{ seed: 'demo.yaml' }, 'seed of startSandbox is "demo.yaml"'],
  [{ seedEnv: 3 }, 'seedEnv of startSandbox is 3'],
  [{ latencyMs: '5' }, 'latencyMs of startSandbox is "5"'],
  [{ latencyMs: -1 }, 'latencyMs of startSandbox is -1'],
  [{ fail: { 500: 'often' } }, 'fail of startSandbox is {"500":"often"}'],
  [{ rateLimit: { requests: 5 } }, 'rateLimit of startSandbox is {"requests":5}'],
  [{ rateLimit: '10/1s' }, 'rateLimit of startSandbox is "10/1s"'],
  [{ clock: '2026' }, 'clock of startSandbox is "2026"'],
  [{ clock: new Date('noon') }, 'clock of startSandbox is an invalid Date'],
  [{ log: 3 }, 'log of startSandbox is 3'],
])('misspelt options are rejected: %j', (options, message) => {
  expect(() => checkOptions(options)).toThrow(message)
})
