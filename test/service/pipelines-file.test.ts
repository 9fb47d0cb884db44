import { expect, test } from 'vitest'
import { parsePipelines } from '../../src/service/resources/pipelines.ts'

test('a stage is a name or an object', () => {
  const file = {
    pipelines: [{ id: 'sales', stages: ['First Call', { name: 'Won', probability: 1, id: 'w' }, '成約'] }],
  }
  expect(parsePipelines(file)).toEqual([
    {
      id: 'sales',
      name: 'sales',
      stages: [
        { id: 'sales.first-call', name: 'First Call', position: 1, probability: undefined },
        { id: 'w', name: 'Won', position: 2, probability: 1 },
        { id: 'sales.3', name: '成約', position: 3, probability: undefined },
      ],
    },
  ])
})

const withStages = (...stages: unknown[]): unknown => ({ pipelines: [{ id: 'p', stages }] })

test.each([
  [undefined, 'the file'],
  [[], 'the file'],
  [{}, 'pipelines'],
  [{ pipelines: [] }, 'pipelines'],
  [{ pipelines: {} }, 'pipelines'],
  [{ pipelines: [{ id: 'p', stages: ['A'] }], version: 1 }, 'the file member "version"'],
  [{ pipelines: ['p'] }, 'pipelines[0]'],
  [{ pipelines: [{ stages: ['A'] }] }, 'pipelines[0].id'],
  [{ pipelines: [{ id: 'a b', stages: ['A'] }] }, 'pipelines[0].id'],
  [{ pipelines: [{ id: 'p', name: '', stages: ['A'] }] }, 'pipelines[0].name'],
  [{ pipelines: [{ id: 'p' }] }, 'pipelines[0].stages'],
  [{ pipelines: [{ id: 'p', stages: ['A'], stage: 1 }] }, 'pipelines[0] member "stage"'],
  [
    {
      pipelines: [
        { id: 'p', stages: ['A'] },
        { id: 'p', stages: ['A'] },
      ],
    },
    'pipelines[1].id',
  ],
  [withStages('A', ''), 'pipelines[0].stages[1].name'],
  [withStages(5), 'pipelines[0].stages[0]'],
  [withStages({}), 'pipelines[0].stages[0].name'],
  [withStages('A', 'A'), 'pipelines[0].stages[1].name'],
  [withStages('A, B'), 'pipelines[0].stages[0].name'],
  [withStages('A b', 'a B'), 'pipelines[0].stages[1].id'],
  [withStages({ name: 'A', probability: 1.5 }), 'pipelines[0].stages[0].probability'],
  [withStages({ name: 'A', probability: '1' }), 'pipelines[0].stages[0].probability'],
  [withStages({ name: 'A', propability: 1 }), 'pipelines[0].stages[0] member "propability"'],
])('%j is rejected at %s', (file, path) => {
  expect(() => parsePipelines(file)).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      message: expect.stringContaining(`pipelines file: ${path}: expected`),
    }),
  )
})
