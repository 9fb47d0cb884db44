import { describe, expect, test } from 'vitest'
import { fieldsOf, read } from '../reading.ts'

describe('names of columns', () => {
  test('are fields in any case, with spaces, hyphens and a colon', async () => {
    expect(await fieldsOf({ bytes: 'NAME, E-Mail,Owner ID,phone:\nA,b,c,d\n' })).toEqual([
      { name: 'A', email: 'b', owner_id: 'c', phone: 'd' },
    ])
  })

  test('that are unknown are kept unchanged, and the summary lists them', async () => {
    const { source, rows } = await read({ bytes: 'name,Favourite Colour,owner.name,Dr.\nA,red,O,x\n' })
    expect(rows[0]?.fields).toEqual({ name: 'A', 'Favourite Colour': 'red', owner: { name: 'O' }, 'Dr.': 'x' })
    expect(source.summary.columns).toContainEqual({ name: 'Favourite Colour', field: 'Favourite Colour' })
  })

  test('that are close to fields, or other words for them, are refused together, with the --map that accepts them', async () => {
    await expect(read({ bytes: 'emial,Phone Number,name\na,b,c\n' })).rejects.toMatchObject({
      message:
        'people.csv, line 1: unknown columns: "emial" (did you mean "email"?), "Phone Number" (did you mean "phone"?)',
      details: { hint: expect.stringContaining(`--map 'emial=email,Phone Number=phone' if so`) },
    })
  })

  test('of a failed-rows file, of fields that the server sets and of unnamed columns are dropped', async () => {
    const { source, rows } = await read({
      bytes: 'name,created_at,updated_at,version,_crm_line,_crm_code\nA,x,y,3,17,invalid_values\n',
    })
    expect(rows).toMatchObject([{ earlierLine: 17, fields: { name: 'A' } }])
    expect(Object.keys(rows[0]?.fields ?? {})).toEqual(['name'])
    expect(source.summary.columns.filter(({ field }) => field === undefined).map(({ name }) => name)).toEqual([
      'created_at',
      'updated_at',
      'version',
      '_crm_code',
    ])
  })

  test('that occur twice are distinguished by their number', async () => {
    const twice = 'name,email,Phone,email\nA,b,1,c\n'
    await expect(read({ bytes: twice })).rejects.toMatchObject({
      details: { hint: "--map '#4=' drops the second one, '#4=FIELD' maps it to another field" },
    })
    expect(await fieldsOf({ bytes: twice, map: ['#4='] })).toEqual([{ name: 'A', email: 'b', phone: '1' }])
    expect(await fieldsOf({ bytes: twice, map: ['#2=', '#4=email'] })).toEqual([{ name: 'A', email: 'c', phone: '1' }])
    const computed = { map: ['#4=other_email'], compute: ['both=.email + .["email (#4)"]'] }
    expect(await fieldsOf({ bytes: twice, ...computed })).toMatchObject([{ both: 'bc', other_email: 'c' }])
    await expect(read({ bytes: twice, map: ['#5='] })).rejects.toThrow('--map names "#5"')
  })

  test('two that map to the same field are refused, and distinguished by their number', async () => {
    const twice = { bytes: 'E-Mail,name,email\na,b,c\n' }
    await expect(read(twice)).rejects.toThrow('two columns for "email": "E-Mail" (#1) and "email" (#3)')
    expect(await fieldsOf({ ...twice, map: ['#3='] })).toEqual([{ email: 'a', name: 'b' }])
  })

  test('an id column names the record, and the deal of a note its parent', async () => {
    expect((await read({ bytes: 'id,name\ncon_1,A\n' })).rows).toMatchObject([{ id: 'con_1', fields: { name: 'A' } }])
    expect((await read({ bytes: 'deal_id,body\ndeal_1,Hello\n', kind: 'note' })).rows).toMatchObject([
      { parent: { of: 'deal', id: 'deal_1' }, fields: { body: 'Hello' } },
    ])
  })
})

describe('--map', () => {
  test('names fields and types, drops columns, sets nested members, and accepts quoted names with commas', async () => {
    const map = ['Score=score:number,VIP=vip:boolean', 'Tags=tags:json,Fax=,"Last, first"=name', 'Zone=address.zone']
    const bytes = 'Score,VIP,Tags,Fax,"Last, first",Zone\n007,TRUE,[1],x,"L, A",n\n1.50,false,"{""a"":null}",x,B,\n'
    const { rows, findings } = await read({ bytes, map })
    expect(rows.map(({ fields }) => fields)).toEqual([{ score: 1.5, vip: false, tags: { a: null }, name: 'B' }])
    expect(findings).toMatchObject([{ column: 'Score', value: '007', code: 'not_a_number' }])
  })

  test.each([
    ['Name', '--map "Name" is not COLUMN=FIELD'],
    ['Name=name:time', '"time" is not a type'],
    ['Name=name,Name=x', '--map names the column "Name" twice'],
    ['Nme=name', '--map names "Nme", which people.csv does not have'],
  ])('%j is a usage error', async (text, message) => {
    await expect(read({ bytes: 'Name\nA\n', map: [text] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    })
  })
})

describe('values', () => {
  test('an amount is a number with all its digits, and any other text is rejected with advice', async () => {
    const amounts = [
      '12345678901234567890.50',
      '1E+11',
      '-0.5',
      '1,200',
      '1.200,50',
      '12,5',
      '€ 5',
      '1e400',
      '0x1F',
      ' 7 ',
    ]
    const bytes = `name;amount\n${amounts.map((amount) => `A;${amount}\n`).join('')}`
    const { rows, findings } = await read({ bytes, kind: 'deal' })
    expect(rows.map(({ fields }) => JSON.stringify(fields.amount))).toEqual([
      '12345678901234567890.50',
      '100000000000',
      '-0.5',
      '7',
    ])
    expect(findings.map(({ value, message }) => [value, message])).toEqual([
      ['1,200', 'expected a number such as 1200.5, without thousands separators'],
      ['1.200,50', 'expected a number such as 1200.5, without thousands separators'],
      ['12,5', 'expected a number such as 1200.5, with a decimal point instead of a comma'],
      ['€ 5', 'expected a number such as 1200.5, without currency or unit'],
      ['1e400', 'expected a number such as 1200.5'],
      ['0x1F', 'expected a number such as 1200.5'],
    ])
  })

  test('an empty cell leaves its field unchanged, quoted or not, and the null token clears it', async () => {
    expect(await fieldsOf({ bytes: 'name,email,phone\nA,,""\nB,NULL,x\n', nullToken: 'NULL' })).toEqual([
      { name: 'A' },
      { name: 'B', email: null, phone: 'x' },
    ])
  })

  test('an unknown stage is a finding that suggests a similar one', async () => {
    const { findings } = await read({
      bytes: 'name,stage\nA,Wn\nB,Nowhere\nC,Won\n',
      kind: 'deal',
      stages: ['Lead', 'Won'],
    })
    expect(findings).toMatchObject([
      { line: 2, value: 'Wn', code: 'not_allowed', message: 'did you mean Won?' },
      { line: 3, value: 'Nowhere', code: 'not_allowed', message: 'expected one of Lead, Won' },
    ])
  })

  test('all errors of a row are found at once, and a rejected value is not also reported as missing', async () => {
    const bytes = 'name,amount,stage\n,12x,Wn\nB\n'
    const { findings } = await read({ bytes, kind: 'deal', stages: ['Won'], required: ['name', 'amount', 'stage'] })
    expect(findings.map(({ line, column, code }) => [line, column, code])).toEqual([
      [2, 'amount', 'not_a_number'],
      [2, 'name', 'required'],
      [2, 'stage', 'not_allowed'],
      [3, undefined, 'ragged_row'],
    ])
  })

  test('a required field that is missing is a finding', async () => {
    const { findings } = await read({ bytes: 'name,stage\nA,\n,Won\n', kind: 'deal', required: ['name', 'stage'] })
    expect(findings.map(({ line, column, message }) => [line, column, message])).toEqual([
      [2, 'stage', 'stage is required'],
      [3, 'name', 'name is required'],
    ])
  })

  test('half a character is found, in JSON and in UTF-16', async () => {
    const { findings } = await read({ bytes: '{"name":"\\ud800"}\n', name: 'a.jsonl' })
    expect(findings).toMatchObject([{ column: 'name', code: 'unpaired_surrogate' }])
    await expect(read({ bytes: Buffer.from('\ufeffname\nab\ud800\n', 'utf16le') })).rejects.toThrow(
      'people.csv, line 2, column 3: bytes from here on that are not utf-16le',
    )
  })

  test('a member called __proto__ is a member like any other', async () => {
    const [fields] = await fieldsOf({ bytes: '__proto__,name\nx,A\n' })
    expect(JSON.stringify(fields)).toBe('{"__proto__":"x","name":"A"}')
  })
})

test('a column whose name is close to an ignored field is kept, and no suggestion drops it', async () => {
  const bytes = 'name,Created On,updated,emial\nA,2020,2021,a@x\n'
  await expect(read({ bytes })).rejects.toThrow('unknown column "emial"; did you mean "email"?')
  expect(await fieldsOf({ bytes, map: ['emial=email'] })).toEqual([
    { name: 'A', 'Created On': '2020', updated: '2021', email: 'a@x' },
  ])
})

describe('--compute', () => {
  const PEOPLE = 'First Name,last,email,phone\nAda,Löv,A@X,1\nBob,,b@x,2\n'

  test('reads columns under their names in the input and fields under theirs, and null leaves a field unchanged', async () => {
    const compute = [
      'name=."First Name" + " " + .last',
      'email=.email | ascii_downcase',
      'phone=null',
      'n=.last // "" | length',
    ]
    expect(await fieldsOf({ bytes: PEOPLE, compute, map: ['First Name=,last='] })).toEqual([
      { name: 'Ada Löv', email: 'a@x', phone: '1', n: 3 },
      { name: 'Bob ', email: 'b@x', phone: '2', n: 0 },
    ])
  })

  test('clears a field with a result that is the null token', async () => {
    const compute = ['phone=if .phone == "1" then "-" else .phone end']
    expect(
      (await read({ bytes: 'name,phone\nA,1\nB,2\n', compute, nullToken: '-' })).rows.map(({ fields }) => fields.phone),
    ).toEqual([null, '2'])
  })

  test('that fails on some rows is reported with all other findings: the expression, the rows and their number', async () => {
    const bytes = 'name,stage,n\nA,Won,x\nB,Won,2\nC,Wn,3\nD,Won,y\n'
    const compute = ['amount=.n | tonumber', 'rank=.n | if . == "2" then error("no rank") else . end', 'a=1, 2']
    const { rows, source } = await read({
      bytes,
      kind: 'deal',
      compute: compute.slice(0, 2),
      stages: ['Won'],
      map: ['n='],
    })
    expect(rows).toEqual([])
    const groups = source.findings.groups().map(({ code, column, count, samples }) => {
      return { code, column, count, lines: samples.map(({ line }) => line), message: samples[0]?.message }
    })
    expect(groups).toEqual([
      {
        ...{ code: 'compute_failed', column: 'amount', count: 2, lines: [2, 5] },
        message: expect.stringMatching(
          /^--compute "amount=\.n \| tonumber" fails: string \("x"\) cannot be parsed as a number/,
        ),
      },
      {
        ...{ code: 'compute_failed', column: 'rank', count: 1, lines: [3] },
        message: '--compute "rank=.n | if . == \\"2\\" then error(\\"no rank\\") else . end" fails: no rank',
      },
      { code: 'not_allowed', column: 'stage', count: 1, lines: [4], message: 'did you mean Won?' },
    ])
  })

  test('that fails for a required field is one finding, not two', async () => {
    const input = { bytes: 'n,stage\nx,Won\n', kind: 'deal', required: ['name', 'stage'], map: ['n='] } as const
    const { findings } = await read({ ...input, compute: ['name=.n | tonumber'] })
    expect(findings.map(({ code }) => code)).toEqual(['compute_failed'])
  })

  test('with several results is a finding; an invalid expression is a usage error', async () => {
    expect((await read({ bytes: 'name\nA\n', compute: ['x=1, 2'] })).findings).toMatchObject([
      { code: 'compute_failed' },
    ])
    await expect(read({ bytes: 'name\nA\n', compute: ['x=.['] })).rejects.toMatchObject({ code: 'usage' })
    await expect(read({ bytes: 'name\nA\n', compute: ['.name'] })).rejects.toThrow('is not FIELD=EXPR')
  })

  test('with a result of the wrong type is a finding', async () => {
    const { findings } = await read({ bytes: 'name,stage\nA,Won\n', kind: 'deal', compute: ['amount="12"'] })
    expect(findings).toMatchObject([
      { line: 2, column: 'amount', value: '12', code: 'wrong_type', message: 'expected a number' },
    ])
  })
})
