import { RESOURCES } from '../../core/resources/registry.ts'
import { BATCH_KINDS, FAILURE_MEANINGS, FIELD_TYPES, PAGING_TYPES, WIRE_FORMS } from './document.ts'
import {
  choice,
  constant,
  either,
  FLAG,
  integer,
  JSON_VALUE,
  list,
  map,
  type ObjectShape,
  object,
  type Shape,
  TEMPLATE,
  text,
} from './shapes.ts'

// The keys of connector: 1. Everything that is read from a connector is named here; what is not named here is a mistake.

export const PLURALS: readonly string[] = Object.values(RESOURCES).map(({ plural }) => plural)

const PATH = text('path')
const TEXT = text('any')
const TEMPLATES = map('any', TEMPLATE)
const QUERY = map('parameter', TEMPLATE)
const HEADERS = map('header-name', text('header-value'))
const PARAMETER = text('parameter')
const NOTHING = choice(['none'])

const TIMES = WIRE_FORMS.filter((form) => form !== 'integer' && form !== 'cents')

const CLEAR: Shape = either(choice(['', 'omit']), constant(null), list(JSON_VALUE, { most: 0 }))

const LIMITS = list(
  object('limit', { requests: integer(1, 1_000_000), per: text('duration') }, { required: ['requests', 'per'] }),
)

/** Where a value is compared. */
const TEST_VALUE = JSON_VALUE

const PAGING = either(
  NOTHING,
  object('paging', {
    by: choice(PAGING_TYPES),
    param: PARAMETER,
    in: choice(['query', 'body']),
    next: PATH,
    more: PATH,
    total: PATH,
    pages: PATH,
    start: integer(0, 1),
    size: object('size', { param: PARAMETER, max: integer(1, 1_000_000) }, { required: ['param', 'max'] }),
    most: integer(1, 1_000_000_000),
    path: text('url-path'),
  }),
)

const TIME_PLACE = either(PATH, object('time', { at: PATH, as: choice(TIMES) }, { required: ['at'] }))

const OPERATION = {
  method: choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  base: text('url-path'),
  path: text('url-path'),
  headers: HEADERS,
  query: QUERY,
  body: TEMPLATE,
  limits: LIMITS,
  record: PATH,
  returns: choice(['record', 'id', 'nothing', 'detected']),
}

/** A read must not change anything, so that looking is safe; a search is often a POST. */
const READ = { ...OPERATION, method: choice(['GET', 'POST']) }

const LIST_MEMBERS = { ...READ, items: PATH, empty: constant(null), paging: PAGING }

const SELECT = object(
  'select',
  {
    param: PARAMETER,
    as: choice(['comma', 'repeat']),
    names: object(
      'names',
      { base: text('url-path'), path: text('url-path'), query: QUERY, items: PATH, at: PATH, read_only: PATH },
      { required: ['path', 'items'] },
    ),
  },
  { required: ['param'] },
)

const OPERATIONS = {
  list: object('list', { ...LIST_MEMBERS, up: map('any', PATH), keep: map('any', TEMPLATE) }),
  get: object('get', READ),
  create: object('create', { ...OPERATION, set: TEMPLATES }),
  update: object('update', { ...OPERATION, set: TEMPLATES, sends: choice(['changes', 'whole']), drop: list(TEXT) }),
  delete: object('delete', { ...OPERATION, restorable: text('duration') }),
  restore: object('restore', OPERATION),
}

const FIND = object('find', {
  ...LIST_MEMBERS,
  gives: choice(['record', 'id']),
  lag: either(choice(['unknown']), text('duration')),
  values: integer(1, 10_000),
})

const UPSERT = object('upsert', { ...OPERATION, set: TEMPLATES, made: PATH })

const BATCH = {
  ...OPERATION,
  set: TEMPLATES,
  made: PATH,
  size: integer(1, 100_000),
  item: TEMPLATE,
  by: map('any', TEXT),
  results: PATH,
  errors: PATH,
  row: either(NOTHING, object('row', { result: PATH, error: PATH }, { required: ['result', 'error'] })),
  accounts: choice(['each', 'all']),
}

const BATCHES = object('batches', {
  ...BATCH,
  ...Object.fromEntries(BATCH_KINDS.map((kind) => [kind, object('batch', BATCH)])),
})

const FIELD = object(
  'field',
  {
    at: either(PATH, list(PATH, { least: 1, most: 5 })),
    read: either(PATH, list(PATH, { least: 1, most: 5 })),
    write: either(PATH, list(PATH, { least: 1, most: 5 })),
    join: list(PATH, { least: 2, most: 5 }),
    lone: choice(['first', 'last']),
    empty: choice(['']),
    new: map('any', JSON_VALUE),
    set: map('path', TEMPLATE),
    map: map('any', JSON_VALUE),
    one: FLAG,
    type: choice(FIELD_TYPES),
    as: choice(WIRE_FORMS),
    ref: text('resource'),
    within: map('field', text('field')),
    required: FLAG,
    max: either(integer(1, 10_000_000), list(integer(1, 10_000_000), { least: 1, most: 5 })),
    when: choice(['always', 'create']),
    fold: choice(['case']),
    clear: CLEAR,
  },
  { some: [['at', 'read', 'write', 'join']] },
)

const RESOURCE = object('resource', {
  like: text('resource'),
  base: text('url-path'),
  path: text('url-path'),
  parent: text('resource'),
  id: either(PATH, object('id', { at: PATH, type: choice(['string', 'integer']) }, { required: ['at'] })),
  created_at: TIME_PLACE,
  updated_at: TIME_PLACE,
  version: PATH,
  deleted: PATH,
  inside: PATH,
  others: list(either(PATH, object('others', { at: PATH, names: text('pattern') }, { required: ['at'] }))),
  read_only: list(TEXT),
  select: SELECT,
  value: object('value', { each: list(PATH), drop: list(TEXT) }),
  clear: CLEAR,
  paging: PAGING,
  ...OPERATIONS,
  find: map('field', FIND),
  upsert: map('field', UPSERT),
  batch: BATCHES,
  filters: map(
    'any',
    either(
      object('filter', { query: PARAMETER, body: TEMPLATE }, { some: [['query', 'body']], oneOf: ['query', 'body'] }),
    ),
  ),
  fields: map('field', either(PATH, FIELD)),
})

export const CONNECTOR: ObjectShape = object(
  'connector',
  {
    connector: constant(1),
    name: text('connector'),
    title: TEXT,
    docs: TEXT,
    extends: text('connector'),
    variables: map('variable', object('variable', { ask: TEXT, pattern: text('pattern') }, { required: ['ask'] })),
    origin: text('origin'),
    base: text('url-path'),
    auth: object(
      'auth',
      {
        in: choice(['bearer', 'header', 'query', 'basic']),
        name: TEXT,
        value: text('template'),
        user: text('template'),
        password: text('template'),
      },
      { required: ['in'] },
    ),
    headers: HEADERS,
    query: QUERY,
    success: object(
      'success',
      { at: PATH, is: TEST_VALUE, not: TEST_VALUE },
      { required: ['at'], some: [['is', 'not']], oneOf: ['is', 'not'] },
    ),
    error: object('error', {
      message: PATH,
      code: PATH,
      request: PATH,
      fields: object('error_fields', { items: PATH, name: PATH, message: PATH }, { required: ['items'] }),
      kinds: list(
        object(
          'error_kind',
          {
            status: integer(200, 599),
            when: object('error_when', { at: PATH, is: TEST_VALUE }, { required: ['at', 'is'] }),
            means: choice(FAILURE_MEANINGS),
          },
          { required: ['means'], some: [['status', 'when']] },
        ),
      ),
    }),
    limits: LIMITS,
    idempotency: either(
      choice(['none', 'unknown']),
      object(
        'idempotency',
        { header: text('header-name'), keeps: text('duration'), scope: choice(['key', 'account']) },
        { required: ['header'] },
      ),
    ),
    clear: CLEAR,
    paging: PAGING,
    resources: { type: 'map', names: 'resource', of: RESOURCE },
  },
  { required: ['connector', 'name', 'resources'] },
)
