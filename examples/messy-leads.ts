import { writeFileSync } from 'node:fs'

// Writes messy-leads.csv, the file of docs/admins.md: node examples/messy-leads.ts [FILE]

const ROWS = 20_000
/** From here on the lines were appended from a file in Windows-1252. */
const SECOND_ENCODING = 14_000
const HEADER = 'Name;E-Mail;Telefon;Firma;Budget;Seit'

const NAMES = ['Jürgen Groß', 'Zoë Müller', 'Ada Lovelace', 'André Böhm', 'Grace Hopper', 'Søren Łund', 'Renée Weiß']
const COMPANIES = ['Käse & Söhne', 'Orbit GmbH', '"Groß, Klein; Co"', 'Analytical Engines']

interface Line {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly company: string
  readonly budget: string
  readonly since: string
}

/** What is wrong with every so many lines; each line has one fault at most. */
const FAULTS: readonly (readonly [count: number, fault: (line: Line, at: number) => string])[] = [
  [50, (line) => `${textOf(line)};call back`],
  [80, (line, at) => textOf({ ...line, email: at % 2 === 0 ? 'n/a' : `lead${at} at x.test` })],
  [60, (line) => textOf({ ...line, phone: 'ask Petra' })],
  [40, (line) => textOf({ ...line, since: '31.02.2024' })],
  [20, (line) => textOf({ ...line, budget: '12.5 USD' })],
  [60, (line, at) => textOf({ ...line, email: ` LEAD${at - 1}@Leads.TEST `, phone: '' })],
]

export const MESSY = { rows: ROWS, rejected: 250, repeated: 60, contacts: ROWS - 310 }

export function messyLeads(): Buffer {
  const faults = faultsByLine()
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const line = lineOf(at)
    const text = faults.get(at)?.(line, at) ?? textOf(line)
    return Buffer.from(`${text}\r\n`, at < SECOND_ENCODING ? 'utf8' : 'latin1')
  })
  return Buffer.concat([Buffer.from(`\ufeff${HEADER}\r\n`), ...lines])
}

function lineOf(at: number): Line {
  const [day, month, year] = [1 + (at % 28), 1 + (at % 12), 2015 + (at % 11)]
  const shapes = [
    `${two(day)}.${two(month)}.${year}`,
    `${year}-${two(month)}-${two(day)}`,
    `${month}/${day}/${String(year).slice(2)}`,
  ]
  // Windows-1252 as Latin-1 has no Ł.
  const name = NAMES[at % NAMES.length]?.replace('Ł', at < SECOND_ENCODING ? 'Ł' : 'L') ?? ''
  return {
    name: ` ${name} ${at}`,
    email: `lead${at}@leads.test`,
    phone: `030 ${901_000 + (at % 9000)}`,
    company: COMPANIES[at % COMPANIES.length] ?? '',
    budget: `${1 + (at % 9)}.${String(at % 1000).padStart(3, '0')},${two(at % 100)} EUR`,
    since: shapes[at % shapes.length] ?? '',
  }
}

/** Spread over the file: the n-th fault is in a line of its own. */
function faultsByLine(): ReadonlyMap<number, (line: Line, at: number) => string> {
  const all = FAULTS.flatMap(([count, fault]) => Array<typeof fault>(count).fill(fault))
  const step = Math.floor(ROWS / all.length)
  return new Map(all.map((fault, n) => [(n + 1) * step - 1, fault]))
}

function textOf({ name, email, phone, company, budget, since }: Line): string {
  return [name, email, phone, company, budget, since].join(';')
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

if (import.meta.main) writeFileSync(process.argv[2] ?? 'messy-leads.csv', messyLeads())
