import type { Random } from '../torture/random.ts'
import type { Contact, Counts } from './judge.ts'

/** A row of the file; an empty cell leaves the field of the server alone. */
export interface Row {
  readonly email: string
  readonly name: string
  readonly phone: string
  readonly company: string
}

const GIVEN = ['Wiebke', 'Tilman', 'Yrsa', 'Ossip', 'Françoise', 'Zdeněk']
const FAMILY = ['Quellmann', "O'Zwirn", 'Brägelow', 'Ikkonen', 'Vandermeulen']
const COLUMNS = ['name', 'email', 'phone', 'company'] as const

/** The system that the nights take contacts from: a file of people that changes every day. */
export class Source {
  readonly #random: Random
  #rows: Row[] = []
  #made = 0
  /** Of everyone it ever had. */
  readonly personal = new Set<string>([...GIVEN, ...FAMILY])

  constructor(random: Random, rows: number) {
    this.#random = random
    this.add(rows)
  }

  get rows(): readonly Row[] {
    return this.#rows
  }

  /** New people, at any places of the file. */
  add(count: number): void {
    for (let added = 0; added < count; added++) this.#put(this.person())
  }

  /** With the email of somebody who is on the server already. */
  addKnown(email: string): void {
    this.#put({ ...this.person(), email })
  }

  remove(count: number): void {
    for (let removed = 0; removed < count; removed++)
      this.#rows.splice(this.#random.between(0, this.#rows.length - 1), 1)
  }

  change(count: number): void {
    this.#replace(count, (row) => ({ ...row, company: `Werk ${this.#made++}` }))
  }

  emptyPhones(count: number): void {
    this.#replace(count, (row) => ({ ...row, phone: '' }))
  }

  person(): Row {
    const number = this.#made++
    const name = `${this.#random.pick(GIVEN)} ${this.#random.pick(FAMILY)}`
    const row = { email: `person${number}@nights.example`, name, phone: `+49 30 ${5_550_000 + number}`, company: '' }
    for (const value of [row.email, row.phone, row.phone.replaceAll(' ', ''), String(5_550_000 + number)])
      this.personal.add(value)
    return { ...row, company: this.#random.pick(['Sägewerk, Nord', 'Kontor "Süd"', 'Reederei']) }
  }

  #put(row: Row): void {
    this.#rows.splice(this.#random.between(0, this.#rows.length), 0, row)
  }

  #replace(count: number, change: (row: Row) => Row): void {
    for (let changed = 0; changed < count; changed++) {
      const at = this.#random.between(0, this.#rows.length - 1)
      this.#rows[at] = change(this.#rows[at] as Row)
    }
  }
}

export function csvOf(rows: readonly Row[]): string {
  const cell = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const lines = rows.map((row) => COLUMNS.map((name) => cell(row[name])).join(','))
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`
}

/**
 * The contacts after an import of these rows with `--match email`: the file wins in its columns, all else stays, and who is missing is
 * created.
 */
export function imported(contacts: ReadonlyMap<string, Contact>, rows: readonly Row[]) {
  const expected = new Map(contacts)
  const plan = { create: 0, update: 0, unchanged: 0 }
  for (const row of rows) {
    const contact = contacts.get(row.email)
    const cells = Object.entries(row).filter(([, cell]) => cell !== '')
    const isSame = cells.every(([name, cell]) => contact?.[name] === cell)
    plan[contact ? (isSame ? 'unchanged' : 'update') : 'create'] += 1
    expected.set(row.email, { ...contact, ...(Object.fromEntries(cells) as Record<string, string>), email: row.email })
  }
  return { expected, plan: plan as Counts }
}
