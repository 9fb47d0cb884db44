import { z } from 'zod'
import { durationText, parseDurationWithUnitMs } from '../core/duration.ts'
import { RESOURCES, type Resource } from '../core/resources/registry.ts'
import {
  BODY,
  choice,
  constant,
  FLAG,
  integer,
  JSON_VALUE,
  list,
  map,
  member,
  NULL,
  object,
  QUERY_VALUE,
  required,
  TEMPLATE,
  text,
} from './format-parts.ts'
import { SENDING_DEFAULTS } from './sending-defaults.ts'

// connector: 2. What is not named here is a mistake. The loader, the types of what it reads, schemas/connector.json and
// `crm help connector-format` are made from this. What a part is read as has its defaults, and one spelling of several.

const KINDS = Object.keys(RESOURCES) as readonly Resource[]

const TEXT = text('any')
const PATH = text('path')
const URL_PATH = text('requestPath')
const PARAMETER = text('parameter')
const DURATION = text('duration')
const TIME_MS = DURATION.transform((time) => parseDurationWithUnitMs(time) ?? Number.NaN)
const PATTERN = text('pattern')
const NOUN = text('noun')
const TEMPLATES = map(TEXT, TEMPLATE)
const QUERY = map(PARAMETER, QUERY_VALUE)
const HEADERS = map(text('ownHeader'), text('headerValue'))
const FIELD_NAMES = text('field')
/** A path alone stands for the object that has it as `at`. */
function orAt<Of extends z.ZodType>(of: Of): z.ZodType<z.output<Of>, string | z.input<Of>> {
  return z.union([PATH.transform((at) => of.parse({ at })), of]) as z.ZodType<z.output<Of>, string | z.input<Of>>
}

const PATHS = z.union([PATH, list(PATH, { least: 1, most: 5 })]).transform((paths) => [paths].flat())

const EMPTY = member(
  'what an empty list is: null in place of the list, or an answer of the status 204',
  z.union([NULL, constant(204)]),
)

const EMPTY_LIST = list(JSON_VALUE, { most: 0 }) as unknown as z.ZodType<readonly []>

const CLEAR = z.union([choice(['', 'omit']), NULL, EMPTY_LIST])

const CLEAR_FIELD = z.union([choice(['', 'omit', 'object']), NULL, EMPTY_LIST])

const LIMITS = list(
  object('limit', {
    requests: required('number of requests', integer(1, 1_000_000)),
    per: required('time in which they are accepted, such as 10s', TIME_MS),
  }).transform(({ requests, per }) => ({ requests, perMs: per })),
)

const PAGES = object(
  'paging',
  {
    by: member(
      'cursor, page, offset, last (the id of the last record), next_url, link (the header Link) or none',
      choice(['cursor', 'page', 'offset', 'last', 'next_url', 'link', 'none']),
    ),
    param: member('parameter of the cursor, the page or the offset', PARAMETER),
    in: member('where parameters are sent: query (default) or body', choice(['query', 'body'])),
    next: member('path of the next cursor or address; null or empty there is the end', PATH),
    absent: member('true: the last page has nothing at next; without it, its absence is an error', FLAG),
    more: member('path that is false on the last page', PATH),
    agree: member(
      'true: every page has next and more, and they agree: on the last one next is null and more false; without it, more alone is the end',
      FLAG,
    ),
    total: member('path of the number of records', PATH),
    pages: member('path of the number of pages', PATH),
    start: member('number of the first page (default 1), or the first offset (default 0)', integer(0, 1)),
    size: member(
      'parameter of the page size',
      object('size', {
        param: required('parameter of the page size', PARAMETER),
        max: required('largest page size, never exceeded', integer(1, 1_000_000)),
      }),
    ),
    most: member(
      'the most records that the server lists: reaching it is an error, never a complete list',
      integer(1, 1_000_000_000),
    ),
  },
  {
    check: ({ param, size }) =>
      param !== undefined && param === size?.param
        ? { at: ['size', 'param'], message: `${param} is the parameter of the page, too, expected another one` }
        : undefined,
  },
)

const PAGING = z.union([choice(['none']), PAGES]).transform((written) => {
  const { by = 'none', in: place = 'query', start, ...pages } = typeof written === 'string' ? PAGES.parse({}) : written
  return { ...pages, by, in: place, start: start ?? (by === 'offset' ? 0 : 1) }
})

const TIMES = ['rfc3339', 'unix', 'unix_ms', 'YYYY-MM-DD hh:mm:ss', 'string'] as const

const TIME_PLACE = orAt(
  object('time', {
    at: required('path of the time', PATH),
    as: member('its form; rfc3339 by default', choice(TIMES), 'rfc3339'),
  }),
)

const BASE = member('path between origin and path of the request; the innermost one counts', URL_PATH)

const REQUEST = {
  base: BASE,
  path: member(
    'path of the request; by default {object}, and {object}/{id} of get, update and delete. {object} is the path of the object',
    URL_PATH,
    '',
  ),
  headers: member('headers, added to those of the connector', HEADERS, {}),
  query: member('parameters, added to those of the connector', QUERY, {}),
  body: member('body of the request; {record} is the record', BODY),
  limits: member('limits of this operation, in place of those of the connector', LIMITS),
}

/** A read must not change anything, so that looking is safe; a search is often a POST. */
const READ = { method: member('HTTP method', choice(['GET', 'POST']), 'GET'), ...REQUEST }

const STATUS = integer(200, 299)

const STATUSES = z.union([STATUS, list(STATUS, { least: 1, most: 10 })]).transform((statuses) => [statuses].flat())

const OK = z.union([
  STATUSES.transform((statuses) => ({ statuses })),
  object(
    'ok',
    {
      status: member('a status or several; any 2xx but 202 by default', STATUSES),
      at: member('path in the answer', PATH),
      is: member('value of a success there', JSON_VALUE),
      absent: member('true: nothing stands there, or null', FLAG),
    },
    { some: ['status', 'is', 'absent'], oneOf: ['is', 'absent'] },
  ).transform(({ status: statuses, ...test }) => ({ statuses, ...test })),
])

const WRITE = {
  ...REQUEST,
  ok: member(
    'what success is: a status or several, or { status, at, is }. By default any 2xx but 202; of a delete 204, or a 2xx without a body',
    OK,
  ),
  gives: member(
    'where the answer to a create or an update shows the record or its id: a path, record (default; the whole answer is the record), or nothing (ok decides). A member of that name is written \\record',
    PATH,
  ),
}

const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

function writing(method: (typeof WRITING)[number]) {
  return { method: member('HTTP method', choice(WRITING, 'a GET changes nothing'), method), ...WRITE }
}

const SET = member(
  'members that each request has beside the record, in the object of the fields; of a new record, null, false and empty ones stand where no field has a value',
  TEMPLATES,
  {},
)

const MADE = member(
  'path that is true if the upsert created the record, or { at, is }; without it, a record that was not there before was created',
  z.union([
    PATH.transform((at) => ({ at, is: true as unknown as z.output<typeof JSON_VALUE> })),
    object('made', { at: required('path in the answer', PATH), is: required('its value', JSON_VALUE) }),
  ]),
)

const LIST = {
  ...READ,
  items: member('path of each record, such as data[]; without it, the answer itself is the list', PATH, '[]'),
  empty: EMPTY,
  up: member('members taken from the element that encloses the record', map(TEXT, PATH), {}),
  keep: member('only records with these values belong to the list', TEMPLATES, {}),
  all: member('true: without a parent, its request lists the records of all', FLAG, false),
  paging: member('how pages are read, member by member in place of that of the connector or object', PAGING, 'none'),
}

const MARK = object('match', {
  by: required('mark: results and refusals repeat {row}', choice(['mark'])),
  result: required('path of the mark in a result', PATH),
  error: required('path of the mark in a refusal', PATH),
})

const BATCH = {
  method: member('HTTP method', choice(['GET', ...WRITING]), 'POST'),
  ...WRITE,
  set: SET,
  made: MADE,
  size: member('rows in one request, at most; required', integer(1, 100_000)),
  item: member(
    'one row; {items} in body or query is the list of them, {row} the mark of a row, {value|soql} and {value|sql} a value as a literal of a query, in which quotation marks are escaped or doubled; required',
    TEMPLATE,
  ),
  by: member(
    'fields other than the id by which a row can be named, with the name that the server has for each',
    map(TEXT, TEXT),
    {},
  ),
  results: member('path of each result of a row, such as results[]', PATH),
  errors: member(
    'path of each refusal of a row; with match: in_order, of a refusal in its result, such as errors[], or [status=error] for the result itself',
    PATH,
  ),
  match: member(
    'how an outcome finds its row: id (then `by`), in_order (as many results as rows, each with its own `ok`), all (a 2xx accounts for every row), or { by: mark, result, error }; required',
    z.union([choice(['id', 'in_order', 'all']), MARK]),
  ),
  empty: EMPTY,
  paging: member('how the pages of a read are read; none (default): its records are in one answer', PAGING, 'none'),
}

const KIND = object('batch', BATCH)

const VERBS = {
  list: member('all records; no method: GET', object('list', LIST)),
  get: member(
    'one record by its id; no method: GET',
    object('get', {
      ...READ,
      record: member('path of the record in the answer; . is the whole answer (default)', PATH, '.'),
    }),
  ),
  create: member('a new record; no method: POST', object('create', { ...writing('POST'), set: SET })),
  update: member(
    'changes of a record; no method: PATCH',
    object('update', {
      ...writing('PATCH'),
      set: SET,
      sends: member(
        'changes (default): the changed members, an object with all that the record shows in it; merge: the changed members alone, also of objects, which the server merges (RFC 7396, JSON:API); whole: the record is read, changed and sent, for a server that clears what a body lacks. It needs get',
        choice(['changes', 'merge', 'whole']),
        'changes',
      ),
      drop: member(
        'with sends: whole, members that a record shows and an update refuses; fields that write to them have when: create',
        list(TEXT),
        [],
      ),
    }),
  ),
  delete: member(
    'deletion of a record; no method: DELETE',
    object('delete', {
      ...writing('DELETE'),
      restorable: member('how long a deleted record can be restored, such as 30d', TIME_MS),
    }),
  ),
  restore: member('undoes a deletion; no method: POST', object('restore', writing('POST'))),
  test: member('sends a test event to a webhook; no method: POST', object('test', writing('POST'))),
  deliveries: member(
    'all deliveries of a webhook, with the members that crm serve has; no method: GET',
    object('deliveries', LIST),
  ),
  resend: member('delivers {event} to a webhook again; no method: POST', object('resend', writing('POST'))),
  rotate: member(
    'makes a new secret for a webhook, and shows it as secret; no method: POST',
    object('rotate', writing('POST')),
  ),
  find: member(
    'records by the value of a field, {value}; no method: GET',
    map(
      FIELD_NAMES,
      object('find', {
        ...LIST,
        gives: member(
          'what a hit is: record (default) or id. crm compares the field of every hit',
          choice(['record', 'id']),
          'record',
        ),
        lag: member(
          'age of the index, such as 10s; unknown (default): not finding a record proves nothing',
          z.union([choice(['unknown']), DURATION]),
          'unknown',
        ),
      }),
    ),
    {},
  ),
  upsert: member(
    'creates the record or changes the one with the same value of a field; no method: PUT',
    map(FIELD_NAMES, object('upsert', { ...writing('PUT'), set: SET, made: MADE })),
    {},
  ),
}

const BATCHES = object('batches', {
  ...BATCH,
  create: member('new records', KIND),
  update: member('changes of records', KIND),
  upsert: member('new records or changes, by a field', KIND),
  delete: member('deletions', KIND),
  read: member('records by id, or by a field of `by`', KIND),
})

const MAX = integer(1, 10_000_000)

const OWN_FIELD = object(
  'field',
  {
    at: member('path that is read and written; several with join or map', PATHS),
    read: member('path that is read', PATHS),
    write: member('path that is written; without it and without at, the field is read only', PATHS),
    join: member(
      'paths of texts that make one: read joined by a space, written split at the first one',
      list(PATH, { least: 2, most: 5 }),
    ),
    lone: member('with join: which part a text of one word is, first (default) or last', choice(['first', 'last'])),
    empty: member(
      "with join: '' is written for a part without text; otherwise it is left out of a create, and cleared by an update",
      choice(['']),
    ),
    new: member('members of an element of a list that is made for the value, beside it', map(TEXT, JSON_VALUE), {}),
    set: member('values written beside the value, by path; {value} stands for it', map(PATH, TEMPLATE), {}),
    map: member("crm's values with the server's", map(TEXT, JSON_VALUE)),
    one: member('true: a record of the server has one of these values', FLAG, false),
    type: member(
      'type of the value in crm; by default that of the field in crm, and for others any, which is not converted',
      choice(['string', 'number', 'integer', 'boolean', 'id', 'time', 'date', 'html', 'any']),
    ),
    many: member('true: a list of values, which is not converted', FLAG),
    about: member('what it is, for people', TEXT),
    label: member('its name for people', TEXT),
    options: member('the values that it may have', list(TEXT, { least: 1, isSet: true })),
    unique: member('true: no two records have the same value', FLAG),
    to: member('object whose ids it has', NOUN),
    headings: member(
      'headings of columns that an import takes for it, in small letters and without blanks, hyphens and _',
      list(TEXT),
    ),
    as: member('form on the wire, such as unix, string or cents', choice([...TIMES, 'integer', 'cents'])),
    ref: member('object whose id the server has here, and whose name crm shows and takes', NOUN),
    within: member(
      'fields of the record that ref names, which equal fields of this record, such as pipeline_id of a stage',
      map(FIELD_NAMES, FIELD_NAMES),
    ),
    required: member(
      'true: a create must have a value; a row without one is refused before anything is sent',
      FLAG,
      false,
    ),
    max: member(
      'characters of the longest text; a list with join',
      z.union([MAX.transform((most) => [most]), list(MAX, { least: 1, most: 5 })]),
    ),
    when: member('always (default), or create: an update cannot change it', choice(['always', 'create']), 'always'),
    fold: member('case: two values that differ in case alone are equal', choice(['case'])),
    if: member(
      'paths and the regular expressions that values there must match: in other records the field is null',
      map(PATH, PATTERN),
    ),
    clear: member(
      'what clears this field, also object: null in place of the object that its path ends in',
      CLEAR_FIELD,
    ),
  },
  {
    some: ['at', 'read', 'write', 'join'],
    oneOf: ['at', 'join'],
    needs: { lone: 'join', empty: 'join', within: 'ref' },
    check: whyNoField,
  },
)

interface FieldParts {
  readonly at?: readonly string[] | undefined
  readonly read?: readonly string[] | undefined
  readonly write?: readonly string[] | undefined
  readonly join?: readonly string[] | undefined
  readonly map?: unknown
  readonly max?: readonly number[] | undefined
}

function whyNoField({ at, read, write, join, map: values, max = [] }: FieldParts) {
  const both = at ? 'at' : join && 'join'
  const written = write ?? at ?? join ?? []
  if (both && read && write)
    return { message: `a field has ${both}, read and write, expected ${both} alone or read and write` }
  if ((at ?? write ?? []).length > 1 && !values)
    return { message: 'a field has several paths, expected join, or a map of its values' }
  return max.length > 1 && max.length !== written.length
    ? { at: ['max'], message: `max has ${max.length} numbers, expected one for each path that is written` }
    : undefined
}

/** The several paths of a joined field are read and written together. */
const FIELD = orAt(OWN_FIELD).transform(
  ({ at, read, write, label, about, options, unique, to, headings, many, type, within = {}, max = [], ...field }) => {
    const { required } = field
    const described = { label, about, options, unique, to, many, type, required: required || undefined }
    const both = at ?? field.join ?? []
    const own = many ? 'any' : field.join ? 'string' : (type ?? (field.map ? 'any' : undefined))
    return { ...field, described, type: own, read: read ?? both, write: write ?? both, within, max }
  },
)

const RECORD = object('record', {
  id: member(
    'path of the id (default id), or { at, type }',
    orAt(
      object('id', {
        at: required('path of the id', PATH),
        type: member(
          'its type in a body: string (default), integer, or id18: 15 characters that differ in case, and 3 that say which are capitals',
          choice(['string', 'integer', 'id18']),
          'string',
        ),
      }),
    ),
    'id',
  ),
  inside: member('object of a record in which fields, others and {record} begin; . (default) is the record', PATH, '.'),
  created_at: member('path of the time of creation, or { at, as }', TIME_PLACE),
  updated_at: member('path of the time of the last change, or { at, as }', TIME_PLACE),
  version: member('path of the version, sent as If-Match with a whole record', PATH),
  deleted: member('path that is true for a record that was deleted', PATH),
  hidden: member('members that are never shown', list(TEXT), []),
  clear: member(
    'what clears a value: null (default), an empty text, [], or omit (the member is left out)',
    CLEAR,
    null,
  ),
  open: member(
    'true: records hold any member and any value. Rows may have members that no record shows, and a field at its own name is not converted: its type is for people and for columns',
    FLAG,
    false,
  ),
})

const VERBS_OF_ALL = object('verbs', VERBS)

export const VERB_NAMES = Object.keys(VERBS) as readonly (keyof typeof VERBS)[]

const SELECT = object('select', {
  param: member(
    'parameter with the names; in a body, {select} is the list of them. Without it, records show every member',
    PARAMETER,
  ),
  as: member('comma (default): one parameter; repeat: one for each name', choice(['comma', 'repeat']), 'comma'),
  most: member('the most names that one request may have', integer(1, 10_000)),
  names: member(
    'request that lists the members that records can have',
    object('names', {
      base: BASE,
      path: required('path of the request; that of the resource does not precede it', URL_PATH),
      query: member('parameters, added to those of the connector', QUERY, {}),
      items: required('path of each name', PATH),
      at: member('path of the name in such an item; . (default) is the item', PATH, '.'),
      read_only: member('path in it that is true if the server alone sets the member', PATH),
      writable: member('path in it that is false if the server alone sets the member', PATH),
      label: member('path in it of the name for people, by which columns may name it, too', PATH),
      type: member('path in it of its type, for people', PATH),
      numbers: member('types whose values are numbers', list(TEXT, { isSet: true }), []),
      booleans: member('types whose values are true or false', list(TEXT, { isSet: true }), []),
      unique: member('path in it that is true, or has a text, if no two records may have the same value', PATH),
      required: member('path in it that is true if a new record must have a value, for people', PATH),
      options: member(
        'its values, where it has only some',
        object('options', {
          items: required('path of each in such an item', PATH),
          value: member('path of the value in it', PATH, 'value'),
          label: member('path of its name for people', PATH, 'label'),
          only: member('path beside them that is false if the server takes other values, too', PATH),
        }),
      ),
      many: member(
        'a member has several of them, where this value is there',
        object('many', {
          at: required('path in such an item', PATH),
          is: required('the value', JSON_VALUE),
          as: member(
            'text (default): in one text, with semicolons between them; list: as a list',
            choice(['text', 'list']),
            'text',
          ),
        }),
      ),
    }),
  ),
})

/** A request about several links or records: {items} in its body is the list of them. */
function ofLinks<Own extends Readonly<Record<string, z.ZodType>>>(name: string, own: Own) {
  return object(name, {
    path: required('path of the request; {from} and {to} are the objects on both sides', URL_PATH),
    body: required('body of the request; {items} is the list of links or records', BODY),
    ...own,
  })
}

const PAIR = required('one link: {id}, {to}, and {types}, which has a member of `types` for each label', TEMPLATE)

const LINKS = object('links', {
  base: BASE,
  size: required('records or links in one request, at most', integer(1, 100_000)),
  types: required(
    'request that lists the types of links',
    object('link_types', {
      path: required('path of the request; {from} and {to} are the objects on both sides', URL_PATH),
      items: required('path of each type', PATH),
      label: required('path in it of its label; null for links without one', PATH),
      type: required('what {types} has of it, by path', map(TEXT, PATH)),
    }),
  ),
  read: required(
    'request that shows with what some records are linked',
    ofLinks('link_read', {
      item: required('one record: {id}, and {after} for its links after those', TEMPLATE),
      items: required('path of each record', PATH),
      id: required('path of its id in it', PATH),
      links: required('path of each of its links in it', PATH),
      to: required('path of the other id in such a link', PATH),
      labels: required('path of its labels in such a link; those that are null are none', PATH),
      after: member('path in the record of {after}, where it has more links', PATH),
      none: member(
        'refusals that say that records have no links',
        object('link_none', {
          items: required('path of each refusal', PATH),
          at: required('path in it', PATH),
          is: required('the value there', JSON_VALUE),
          ids: required('path in it of the ids of the records', PATH),
        }),
      ),
    }),
  ),
  add: required(
    'request that makes links',
    ofLinks('link_add', {
      item: PAIR,
      results: required('path of each link that was made', PATH),
      errors: member('path of each refusal of a link', PATH),
      id: required('path in it of the id of the record', PATH),
      to: required('path in it of the other id', PATH),
    }),
  ),
  remove: required('request that takes links away, whatever their labels', ofLinks('link_remove', { item: PAIR })),
  unlabel: required('request that takes labels away', ofLinks('link_unlabel', { item: PAIR })),
  new: member(
    'one link of a new record: {links} in the body of a create is the list of them. Without it, they are made after the record',
    TEMPLATE,
  ),
})

/** By noun: what stands for `{on.NAME}`. */
const PARENTS = z
  .union(
    [
      NOUN.transform((noun) => [noun]),
      list(NOUN, { least: 1, most: 20, isSet: true }),
      map(NOUN, map(FIELD_NAMES, text('template'))),
    ],
    { error: 'an object, a list of them, or a map with what stands for {on.NAME} for each' },
  )
  .transform(
    (given): Readonly<Record<string, Readonly<Record<string, string>>>> =>
      Array.isArray(given) ? Object.fromEntries(given.map((noun) => [noun, {}])) : given,
  )

const OBJECT = object('object', {
  one: member('one of them, such as contact', FIELD_NAMES),
  is: member('what its commands take it for; by default what its name says', choice(KINDS)),
  like: member('object whose members this one begins with', NOUN),
  base: BASE,
  path: member('what {object} is in the paths of its requests; by default its name', text('urlPath')),
  parent: member(
    'object that each record belongs to, or several: a list, or a map of what texts have for each at {on.NAME}. {parent} is its id, {parent.NAME} a member of it, {on.NOUN} its id if it is of this object',
    PARENTS,
  ),
  only: member(
    'the verbs that it has, of its own and of the connector; all of them by default',
    list(choice(VERB_NAMES), { least: 1, isSet: true }),
  ),
  record: member(
    'where a record has what every record has, member by member in place of that of the connector',
    RECORD,
    {},
  ),
  others: member(
    'objects under inside whose members appear under their own names; . (default) is inside itself',
    list(
      orAt(
        object('others', {
          at: required('path of the object', PATH),
          names: member('regular expression for names that belong there, though no record shows them', PATTERN),
        }),
      ),
    ),
    ['.'],
  ),
  read_only: member('members that are shown and never sent; * stands for any characters', list(TEXT), []),
  select: member('records show only members that a request asks for', SELECT),
  value: member(
    'shape of values that no field maps',
    object('value', {
      each: member('paths of the value in an element, tried in this order', list(PATH), []),
      drop: member('members of a value that are not sent back', list(TEXT), []),
      rename: member('members of a value that have another name when they are sent', map(TEXT, TEXT), {}),
      lists: member('true: every member is a list, so that one value is sent as a list of one', FLAG, false),
    }),
  ),
  paging: member('how its lists are read, member by member in place of that of the connector', PAGING),
  verbs: member('its requests, member by member in place of those of the connector', VERBS_OF_ALL, {}),
  batch: member('many rows in one request', BATCHES, {}),
  links: member(
    'fields that have the ids of the linked records, by the noun of these; see links of the connector',
    map(FIELD_NAMES, NOUN),
    {},
  ),
  filters: member(
    'fields that the list is filtered by. The server may return more: crm filters again',
    map(TEXT, object('filter', { query: required('parameter of the value', PARAMETER) })),
    {},
  ),
  fields: member(
    "crm's fields: a path, or an object. What is not mapped passes under the server's own name",
    map(FIELD_NAMES, FIELD),
    {},
  ),
})

/** The noun of what is said of all objects that `schema` lists. */
export const LISTED_OBJECT = '*'

const SCHEMA = object('schema', {
  path: required('path of the request', URL_PATH),
  as: member(
    'csdl: JSON of CSDL, as OData has it. Its entity sets stand where the other members expect them',
    choice(['csdl']),
  ),
  items: member('path of each object; by default the answer is their list', PATH, '[]'),
  type: member('path in it of what {type} is in the paths of its requests (default name)', PATH, 'name'),
  id: member('path in it of the path of the id in its records; by default that of record', PATH),
  noun: member('path in it of its name in the plural; by default that of type, or the plural of one', PATH),
  one: member('path in it of its name in the singular', PATH),
  only: member(
    'only objects with this value are such',
    object('schema_only', { at: required('path in it', PATH), is: required('the value', JSON_VALUE) }),
  ),
  fields: member(
    'its fields; by default what is said of a field stands at the name that it has in this format',
    object('schema_fields', {
      at: member('path in it of their list, or of a map by their names (default fields)', PATH, 'fields'),
      name: member('path in a field of its name', PATH, 'name'),
      label: member('path in it of the name for people', PATH, 'label'),
      type: member('path in it of its type', PATH, 'type'),
      to: member('path in it of the type of the object whose ids it has', PATH, 'to'),
      options: member('path in it of each value that it may have', PATH, 'options[]'),
      required: member('path in it that is true if a create must have a value', PATH, 'required'),
      unique: member('path in it that is true if no two records have the same value', PATH, 'unique'),
      read_only: member('path in it that is true if the server alone sets it', PATH, 'read_only'),
      types: required(
        "what a field of each type is, with {name} and {to} in its texts, such as { Ref: { at: '{name}.id', type: id } }; others are no fields, and pass unchanged",
        map(TEXT, FIELD),
      ),
    }),
  ),
})

const OAUTH = object(
  'oauth',
  {
    authorize: member('address at which a person agrees, for the flow code', TEMPLATE),
    token: member(
      'address that gives tokens; a path is one of the server. Without it, issuer publishes the addresses',
      TEMPLATE,
    ),
    revoke: member('address that takes them back', TEMPLATE),
    issuer: member(
      'name of the authorization server: its answers may carry it (RFC 9207), and it may publish the addresses (RFC 8414, OpenID Connect Discovery), which a login reads',
      TEMPLATE,
    ),
    audience: member('audience of a JWT, where it is not the address for tokens', TEMPLATE),
    parameters: member('parameters of the address at which a person agrees', map(PARAMETER, TEXT), {}),
    scopes: member('scopes that the commands need', list(TEXT, { isSet: true }), []),
    scopes_by: member('what stands between scopes; a blank by default', choice([' ', ',']), ' '),
    flows: required(
      'how tokens are got',
      list(choice(['code', 'client_credentials', 'jwt']), { least: 1, isSet: true }),
    ),
    keys: member('whether the server takes keys of its own, too', FLAG, true),
  },
  {
    some: ['token', 'issuer'],
    needs: { authorize: 'token', revoke: 'token' },
    check: ({ flows, token, authorize }) =>
      flows.includes('code') && token !== undefined && authorize === undefined
        ? { message: '"oauth" has the flow code, expected authorize with it' }
        : undefined,
  },
)

const SIGNING_IN = { oauth: member('where the key is a token of OAuth 2', OAUTH) }

const AUTH = z.discriminatedUnion(
  'in',
  [
    object('auth_bearer', { in: required('a bearer token', choice(['bearer'])), ...SIGNING_IN }),
    object('auth_header', {
      in: required('a header', choice(['header'])),
      name: required('name of the header', text('headerOfKey')),
      value: member('its value; {key} is the key (default)', text('headerValue'), '{key}'),
      ...SIGNING_IN,
    }),
    object('auth_query', {
      in: required('a parameter', choice(['query'])),
      name: required('name of the parameter', PARAMETER),
      value: member('its value; {key} is the key (default)', text('queryValue'), '{key}'),
    }),
    object('auth_basic', {
      in: required('HTTP Basic', choice(['basic'])),
      user: required('user', text('template')),
      password: member('password; empty by default', text('template'), ''),
    }),
  ],
  { error: 'in: bearer, header, query or basic' },
)

const ERROR = object('error', {
  message: member('path of the message; of several, the first that is there', PATHS),
  code: member('path of the code; of several, the first that is there', PATHS),
  request: member('path of the id of the request', PATH),
  fields: member(
    'refusals of single fields',
    object('error_fields', {
      items: required('path of each, or several', PATHS),
      name: member('path of the name of the field in it', PATH),
      message: member('path of its message', PATH),
    }),
  ),
  kinds: member(
    'what refusals mean where the status alone does not say; the first that fits counts',
    list(
      object(
        'error_kind',
        {
          status: member(
            'status of the answer; a 2xx here makes a refusal of what `when` finds in it',
            integer(200, 599),
          ),
          when: member(
            'value in the answer',
            object('error_when', {
              at: required('path in the answer, or several', PATHS),
              is: required('its value', JSON_VALUE),
            }),
          ),
          means: required(
            'exists (a duplicate), gone (not found), limit (of the rate), retry (an outage), locked (not written, because another write has the record), auth (the key) or invalid',
            choice(['exists', 'gone', 'limit', 'retry', 'locked', 'auth', 'invalid']),
          ),
        },
        { some: ['status', 'when'] },
      ),
    ),
    [],
  ),
})

const IDEMPOTENCY = object(
  'idempotency',
  {
    header: member('header that carries the key; without it, the server keeps none', text('headerOfUse')),
    window: member('how long the server keeps it, such as 24h; 30m by default', TIME_MS),
    scope: member('whether it counts for the API key (default) or for the account', choice(['key', 'account'])),
    life: member('longest time after which a request without an answer may still take effect; 2m by default', TIME_MS),
    kept: member(
      'headers of answers that show that keys are kept; with them, keys count as kept from the first such answer on',
      list(text('headerName'), { least: 1, most: 10 }),
    ),
  },
  {
    needs: { window: 'header', scope: 'header', kept: 'header' },
    check: whyNoWindow,
  },
)

/** A server that drops a key before the last request with it can arrive protects from nothing. */
function whyNoWindow({ window, life }: { readonly window: number | undefined; readonly life: number | undefined }) {
  const [windowMs, lifeMs] = [window ?? SENDING_DEFAULTS.windowMs, life ?? SENDING_DEFAULTS.lifeMs]
  if (windowMs > lifeMs) return undefined
  const [given, most] = [durationText(windowMs), durationText(lifeMs)]
  return {
    at: [window === undefined ? 'life' : 'window'],
    message: `the window of idempotency keys is ${given}, expected more than the life of a request, which is ${most}`,
  }
}

export const CONNECTOR = object('connector', {
  connector: required('version of the format: 2', constant(2)),
  name: required('name of the connector, shown in messages', text('connector')),
  title: member('name of the CRM, for people', TEXT),
  docs: member('address of its documentation', TEXT),
  drafted: member(
    'day on which crm drafted it: jobs send only what crm connectors check --write proved of it; without it, all counts as proven',
    text('day'),
  ),
  extends: member(
    'shipped connector that this one changes: maps are merged, lists, body and fields are replaced, null removes',
    text('connector'),
  ),
  variables: member(
    'values that a login asks for, or CRM_CONNECTOR_VARS=name=value,... gives; {name} inserts one',
    map(
      text('variable'),
      object('variable', {
        ask: required('question of the login', TEXT),
        pattern: member('regular expression for the whole value', PATTERN),
      }),
    ),
    {},
  ),
  origin: member('scheme and host; without it, that of the profile', text('origin')),
  base: member('path that all requests begin with', URL_PATH, ''),
  auth: member('how the key is sent; a bearer token by default', AUTH, { in: 'bearer' }),
  headers: member('headers of every request', HEADERS, {}),
  query: member('parameters of every request', QUERY, {}),
  error: member('where a refusal states its parts; what is absent is read where most servers have it', ERROR, {}),
  limits: member(
    'requests that the server accepts in a time; crm stays below them and below what headers state',
    LIMITS,
    [],
  ),
  idempotency: member(
    'what an idempotency key does: none, unknown (default), or the header that carries it. With none and unknown, crm looks for a record before it sends an ambiguous create again',
    z.union([choice(['none', 'unknown']), IDEMPOTENCY]),
    'unknown',
  ),
  graphql: member('path of GraphQL, for crm graphql', URL_PATH),
  account: member(
    'request that says whose the key or sign-in is, for crm auth status',
    object('account', {
      path: required('its path', URL_PATH),
      query: member('its query', map(PARAMETER, TEXT), {}),
      name: required('path of the name; of several, the first that is there', PATHS),
    }),
  ),
  run_marker: member(
    'member of records in which fixtures state their run, where the server keeps no states of runs',
    text({
      title: 'name of a member',
      expected: 'the name of a member, such as crm_run',
      pattern: '^[A-Za-z_]\\w{0,63}$',
    }),
  ),
  offers: member(
    'what the server has beside records, at the paths of crm serve: the history of records, the key that a request is sent with, states of fixtures, the name of a job with each change, the objects of its users',
    list(choice(['history', 'key', 'fixtures', 'jobs', 'objects'])),
  ),
  record: member('where every record has what all have', RECORD),
  verbs: member('the requests of every object; {object} is its path', VERBS_OF_ALL),
  batch: member('the batches of every object', BATCHES),
  select: member('what every object selects; {noun} is its name', SELECT),
  paging: member('how lists are read page by page; none: a list is one answer', PAGING),
  links: member('how records are linked, where that is no field of theirs', LINKS),
  schema: member(
    'request that lists the objects that an account made for itself; each is as the object * says',
    SCHEMA,
  ),
  objects: required(
    "what the server has, by the noun of each: contacts, deals, ...; '*' is any that schema lists, with {type} in its path",
    map(text('anyNoun'), OBJECT),
  ),
})

/** What a connector has, as read. */
export type ReadConnector = z.output<typeof CONNECTOR>
