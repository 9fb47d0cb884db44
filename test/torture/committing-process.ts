import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Commits rows until it is killed, and prints the number of each when its commit has returned. */
const [path = '', journalMode, synchronous, checkpoint = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
// Checkpoints are as frequent as commits that follow none.
database.exec(
  `PRAGMA journal_mode = ${journalMode}; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 20`,
)
database.exec('CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY, text TEXT UNIQUE)')
const insert = database.prepare('INSERT INTO kept VALUES (?, ?)')
for (let number = 1; ; number++) {
  // Of one page and of some.
  insert.run(number, `${number} `.repeat((number * 37) % 2000))
  database.exec(checkpoint)
  writeSync(1, `${number}\n`)
}
