import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConnectorMistake, compilePath, readAll, readEach, readFirst, writeAt } from '../../src/connector/paths.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'

const PERSON = {
  name: 'Ada',
  'a.b': 1,
  emails: [
    { value: 'old@x.example', primary: false, label: 'home' },
    { value: 'ada@x.example', primary: true, label: 'work' },
  ],
  deep: { list: [{ inner: ['x', 'y'] }, { inner: ['z'] }] },
}

it.each<[string, JsonValue | undefined]>([
  ['name', 'Ada'],
  ['.', PERSON],
  ['a\\.b', 1],
  ['emails[0].value', 'old@x.example'],
  ['emails[primary=true].value', 'ada@x.example'],
  ['emails[label=work].primary', true],
  ['emails[label=none].value', undefined],
  ['emails[7]', undefined],
  // An object is what the pair picks, or nothing.
  ['[name=Ada].name', 'Ada'],
  ['[name=Bob].name', undefined],
  ['deep.list[].inner[1]', 'y'],
  ['name.length', undefined],
  ['constructor', undefined],
  ['emails.length', undefined],
  ['__proto__.x', undefined],
])('%s leads to its value', (text, value) => {
  expect(readFirst(compilePath(text), PERSON)).toEqual(value)
})

it('reads all values of nested lists in their order', () => {
  expect(readAll(compilePath('deep.list[].inner[]'), PERSON)).toEqual(['x', 'y', 'z'])
  expect(readAll(compilePath('name'), PERSON)).toEqual(['Ada'])
  expect(readAll(compilePath('none[].x'), PERSON)).toEqual([])
})

it('returns each value with the element that encloses it', () => {
  const pipelines = {
    data: [
      { id: 'p1', stages: [{ id: 1 }, { id: 2 }] },
      { id: 'p2', stages: [{ id: 3 }] },
    ],
  }
  const listed = readEach(compilePath('data[].stages[]'), pipelines)
  expect(
    listed?.map(({ value, enclosing }) => [
      readFirst(compilePath('id'), value),
      readFirst(compilePath('id'), enclosing),
    ]),
  ).toEqual([
    [1, 'p1'],
    [2, 'p1'],
    [3, 'p2'],
  ])
})

it('distinguishes a list that is empty from one that is not there', () => {
  const items = compilePath('data[]')
  expect(readEach(items, { data: [] })).toEqual([])
  expect(readEach(items, { data: null })).toBeUndefined()
  expect(readEach(items, { data: null }, true)).toEqual([])
  expect(readEach(items, { message: 'no' })).toBeUndefined()
  expect(readEach(items, { data: 'no' })).toBeUndefined()
  expect(readEach(items, undefined)).toBeUndefined()
})

it('finds no list where a part of one is missing', () => {
  const inner = compilePath('data[].stages[]')
  expect(readEach(inner, { data: [{ stages: [1] }, { stages: [] }] })).toHaveLength(1)
  for (const part of [{}, { stages: null }, { stages: 'no' }]) {
    expect(readEach(inner, { data: [{ stages: [1] }, part] })).toBeUndefined()
  }
  expect(readEach(compilePath('items[].item'), { items: [{ item: 1 }, {}] })).toBeUndefined()
})

it.each<[string, number]>([
  ['', 0],
  ['.a', 0],
  ['a.', 2],
  ['a..b', 2],
  ['a[', 1],
  ['a[x]', 1],
  ['a[=v]', 1],
  ['a[0]b', 4],
  ['a]', 1],
  ['a[b[0]]', 3],
  ['a\\', 1],
])('refuses the path "%s" at its character %i', (text, at) => {
  const refusal = (() => {
    try {
      return compilePath(text)
    } catch (error) {
      return error
    }
  })()
  expect(refusal).toBeInstanceOf(ConnectorMistake)
  expect((refusal as ConnectorMistake).at).toBe(at)
})

function written(path: string, value: JsonValue | undefined, current?: JsonValue, made?: JsonObject): JsonObject {
  const target = {}
  writeAt(compilePath(path), target, value, { current, ...(made && { new: made }) })
  return target
}

it('writes nested members', () => {
  expect(written('a.b', 1)).toEqual({ a: { b: 1 } })
})

it('writes the whole list with the matching element changed, and leaves the record unchanged', () => {
  const before = structuredClone(PERSON)
  expect(written('emails[primary=true].value', 'new@x.example', PERSON)).toEqual({
    emails: [PERSON.emails[0], { value: 'new@x.example', primary: true, label: 'work' }],
  })
  expect(PERSON).toEqual(before)
})

it('appends an element with its constant members where none matches', () => {
  expect(written('emails[primary=true].value', 'n@x.example', { emails: [{ value: 'o' }] }, { label: 'work' })).toEqual(
    {
      emails: [{ value: 'o' }, { label: 'work', primary: true, value: 'n@x.example' }],
    },
  )
  expect(written('emails[0].value', 'n@x.example', undefined, { type: 'work' })).toEqual({
    emails: [{ type: 'work', value: 'n@x.example' }],
  })
  expect(written('emails[0]', 'n@x.example')).toEqual({ emails: ['n@x.example'] })
})

it('removes the element, and sends nothing where there is none', () => {
  expect(written('emails[primary=true].value', undefined, PERSON)).toEqual({ emails: [PERSON.emails[0]] })
  expect(written('emails[primary=true].value', undefined, {})).toEqual({})
})

it('keeps the elements of a list of values that stay', () => {
  const current = {
    subscriptions: [
      { event_type: 'a', filter: { x: 1 } },
      { event_type: 'b', filter: null },
    ],
  }
  expect(written('subscriptions[].event_type', ['c', 'a'], current, { filter: null })).toEqual({
    subscriptions: [
      { filter: null, event_type: 'c' },
      { event_type: 'a', filter: { x: 1 } },
    ],
  })
})

it('applies two paths to one list', () => {
  const target: JsonObject = {}
  writeAt(compilePath('emails[primary=true].value'), target, 'n@x.example', { current: PERSON })
  writeAt(compilePath('emails[label=home].value'), target, 'h@x.example', { current: PERSON })
  expect(target.emails).toMatchObject([{ value: 'h@x.example' }, { value: 'n@x.example' }])
})

it('treats __proto__ and constructor as names', () => {
  const target = written('__proto__.polluted', true)
  expect(Object.keys(target)).toEqual(['__proto__'])
  expect(({} as JsonObject).polluted).toBeUndefined()
  expect(written('constructor.prototype', 1)).toEqual({ constructor: { prototype: 1 } })
  expect(readFirst(compilePath('__proto__'), JSON.parse('{"__proto__":1}'))).toBe(1)
})

const NAME = fc.string({ minLength: 1, maxLength: 6 })
const STEP = fc.oneof(
  NAME.map((name) => ({ text: escaped(name), isList: false })),
  fc.nat(1).map((at) => ({ text: `[${at}]`, isList: true })),
  fc
    .tuple(NAME, NAME)
    .map(([name, value]) => ({ text: `[key${escaped(name)}=${escaped(value)}].inner`, isList: true })),
)

function escaped(name: string): string {
  return name.replace(/[.[\]\\=]/g, '\\$&')
}

it('reads what it wrote, for all paths and current records', () => {
  fc.assert(
    fc.property(
      NAME,
      fc.array(STEP, { maxLength: 4 }),
      fc.string(),
      fc.object({ key: NAME }),
      (first, steps, value, current) => {
        const text = steps.reduce((path, step) => path + (step.isList ? step.text : `.${step.text}`), escaped(first))
        const path = compilePath(`${text}.end`)
        const target: JsonObject = {}
        writeAt(path, target, value, { current: JSON.parse(JSON.stringify(current)) })
        // An element is appended to a short list, so an index behind its end reads nothing.
        if (!text.includes('[1]')) expect(readFirst(path, target)).toBe(value)
      },
    ),
  )
})
