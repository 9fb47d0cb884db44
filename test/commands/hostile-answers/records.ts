import {
  ADA,
  ATTACK,
  BOB,
  doubtful,
  json,
  listed,
  MIB,
  made,
  type Row,
  refused,
  rows,
  STOPPED,
  shows,
  text,
} from './row.ts'

/** What the connector does not describe. */
const NEITHER = /the answer \(20\d\)/

const NOTHING: readonly Row[] = [
  ['get', '204', text(204, ''), refused(6, /there is no contact "con_1"/)],
  ['import', '204', text(204, ''), STOPPED],
  ['update', '205', text(205, ''), doubtful(/it is empty/)],
  ['list', 'null', json(200, null), refused(7, /expected a list at data\[\], got null/)],
  ['list', 'a text', json(200, 'ok'), refused(7, /expected a list at data\[\], got "ok"/)],
  ['list', 'a number', json(200, 7), refused(7, /expected a list at data\[\], got 7/)],
  ['list', 'an empty object', json(200, {}), refused(7, /expected a list at data\[\], got an empty object/)],
  ['update', 'an empty object', json(200, {}), doubtful(NEITHER)],
  ['update', 'null', json(200, null), doubtful(NEITHER)],
  ['update', 'an empty list', json(200, []), doubtful(NEITHER)],
  ['update', 'a text', json(200, 'ok'), doubtful(NEITHER)],
  ['delete', '0', json(200, 0), doubtful(NEITHER)],
  ['delete', 'false', json(200, false), doubtful(NEITHER)],
  ['delete', 'an empty list', json(200, []), doubtful(NEITHER)],
  ['import', 'empty objects', json(201, {}), STOPPED],
  ['import', 'null', json(200, null), STOPPED],
]

const OTHERS: readonly Row[] = [
  ['get', 'a list of another record', listed([BOB]), refused(7, /the answer shows no record/)],
  [
    'get',
    'a record whose id is its number',
    listed([{ id: 1, name: 'Ada' }]),
    refused(7, /the answer shows no record/),
  ],
  ['get', 'a record without an id', listed([{ name: 'Ada' }]), refused(7, /the answer shows no record/)],
  ['update', 'another record', json(200, BOB), doubtful(NEITHER)],
  ['update', 'another record with the values that were sent', json(200, { ...ADA, id: 'con_2' }), doubtful(NEITHER)],
  ['delete', 'another record', json(200, { id: 'con_2', deleted: true }), doubtful(NEITHER)],
  ['create', 'two records', json(201, [ADA, BOB]), doubtful(NEITHER)],
  [
    'import',
    'the same record three times',
    json(201, { id: 'con_9', name: 'Zoe', email: 'z@x.test' }),
    rows(3, { in_doubt: 3 }),
  ],
  ['import', 'the id of the first row for each', made(() => 'con_9'), rows(3, { done: 1, in_doubt: 2 })],
]

const IDS: readonly Row[] = [
  ...[['con_1'], { a: 1 }, true, null, '', 0].flatMap((id): Row[] => [
    ['create', `the id ${JSON.stringify(id)}`, json(201, { id, name: 'Ada' }), doubtful(NEITHER)],
    ['update', `the id ${JSON.stringify(id)}`, json(200, { id, name: 'Ada' }), doubtful(NEITHER)],
  ]),
  ['import', 'ids that are objects', made(() => ({ a: 1 })), STOPPED],
  [
    'create',
    'an id that is a path',
    json(201, { id: '../../admin', name: 'Ada' }),
    shows({ id: '../../admin', name: 'Ada' }),
  ],
  ['create', 'an id of 1 MiB', json(201, { id: MIB, name: 'Ada' }), shows({ id: MIB, name: 'Ada' })],
  ['import', 'ids that a terminal would obey', made((nth) => `con_${nth}${ATTACK}`), rows(0, { done: 3 })],
]

const REFUSALS: readonly Row[] = [
  ['create', 'errors in a 200', json(200, { errors: [{ detail: 'no quota' }] }), refused(7, /no quota \(200\)/)],
  ['import', 'errors in a 201', json(201, { errors: [{ detail: 'no quota' }] }), rows(3, { failed: 3 })],
  ['import', 'success: false in a 200', json(200, { success: false }), rows(3, { failed: 3 })],
  ['create', 'created: false', json(200, { created: false }), doubtful(/"created":false/)],
  ['create', 'an error beside what was sent', json(201, { name: 'Ada', error: 'no quota' }), doubtful(/no quota/)],
  [
    'list',
    'errors beside records',
    listed([ADA], { errors: [{ message: 'shard 3 is down' }] }),
    refused(7, /shard 3 is down/),
  ],
  [
    'get',
    'errors beside the record',
    listed([ADA], { errors: [{ message: 'shard 3 is down' }] }),
    refused(7, /shard 3 is down/),
  ],
]

const TEXTS: readonly Row[] = [
  [
    'list',
    'members that a terminal would obey',
    listed([{ id: 'con_1', [ATTACK]: { [ATTACK]: ATTACK } }]),
    shows([{ id: 'con_1', [ATTACK]: { [ATTACK]: ATTACK } }]),
  ],
  [
    'list',
    'members of 1 MiB',
    listed([{ id: 'con_1', name: MIB, [MIB]: 1 }]),
    shows([{ id: 'con_1', name: MIB, [MIB]: 1 }]),
  ],
]

export const RECORDS: readonly Row[] = [...NOTHING, ...OTHERS, ...IDS, ...REFUSALS, ...TEXTS]
