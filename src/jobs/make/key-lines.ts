import { openScratch, type Scratch } from './scratch.ts'

/** On which line each match key of the input stands first. */
export class KeyLines {
  readonly #scratch: Scratch
  readonly #add

  constructor(folder: string) {
    this.#scratch = openScratch(folder, 'keys')
    this.#scratch.database.exec('CREATE TABLE keys (key TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID')
    this.#add = this.#scratch.database.prepare(
      'INSERT INTO keys VALUES (?, ?) ON CONFLICT DO UPDATE SET line = line RETURNING line',
    )
  }

  /** The line of the first row with this key, which may be this one. */
  firstLine(key: string, line: number): number {
    return Number(this.#add.get(key, line)?.line)
  }

  close(): void {
    this.#scratch.close()
  }
}
