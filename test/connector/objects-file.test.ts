import { expect, test } from 'vitest'
import { readObjectsFile } from '../../src/connector/objects-file.ts'

const read = (text: string, known = {}) => readObjectsFile('objects.yaml', text, known)

test.each([
  ['machines', 'machine'],
  ['agencies', 'agency'],
  ['boxes', 'box'],
  ['addresses', 'address'],
])('the singular of %s is %s', (plural, one) => {
  expect(read(`objects: { ${plural}: { fields: { a: {} } } }`)).toMatchObject({ [plural]: { one } })
})

test.each([
  ['contacts: { fields: {} }', '1:12: contacts is taken by crm'],
  ['objects: { fields: {} }', '1:12: objects is taken by crm'],
  ['fish: { fields: {} }', '1:12: fish has no singular of its own'],
  ['chgs: { fields: {} }', '1:12: chg is taken by crm'],
  ['parts: { one: note, fields: {} }', '1:26: note is taken by crm'],
  ['Parts: { fields: {} }', '1:12: "Parts", expected a name of small letters'],
  ['a_1s: { fields: {} }', '1:12: "a_1s", expected a name of small letters'],
  ['parts: { fields: { version: {} } }', '1:31: version is taken by crm'],
  ['parts: { fields: { a: { to: contact } } }', '1:40: "contact" is no object, expected one of contacts'],
  ['parts: { fields: { a: { type: int } } }', '"int", expected one of string, number'],
  ['parts: { fields: { a: { many: true, unique: true } } }', 'a list of texts cannot be unique'],
  ['parts: { fields: { a: { type: number, options: [a] } } }', 'expected options of a string alone'],
  ['parts: { fields: { a: { many: true, type: number } } }', 'expected a list of strings or ids alone'],
  ['parts: { fields: { a: { type: number, to: contacts } } }', 'number is no id'],
  ['parts: { one: thing, fields: {} }, items: { one: thing, fields: {} }', 'thing is the singular of items, too'],
])('%s is a mistake: %s', (objects, message) => {
  expect(() => read(`objects: { ${objects} }`)).toThrow(message)
})

test('an object that is older than one of crm keeps its name, and a new one cannot take it', () => {
  const file = 'objects: { companies: { one: company, fields: { vat: {} } } }'
  expect(read(file, { companies: { one: 'company', fields: {} } })).toMatchObject({ companies: { one: 'company' } })
  expect(() => read(file)).toThrow('companies is taken by crm, expected another name')
})

test('an object keeps the singular of its ids', () => {
  const known = { parts: { one: 'part', fields: {} } }
  expect(() => read('objects: { parts: { one: piece, fields: {} } }', known)).toThrow(
    'the database has parts with ids of part_, expected one: part',
  )
})
