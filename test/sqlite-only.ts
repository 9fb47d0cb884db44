const SLOW = 'takes long, and runs with npm run test:slow'

/** Tests that do not run on PostgreSQL, by the start of their path, with the reason. */
export const SQLITE_ONLY: Readonly<Record<string, string>> = {
  'test/service/store/sqlite/': 'the file, its permissions, its schema, statements, locks and damage',
  'test/service/graphql/batching.test.ts': 'counts the statements of a connection of SQLite',
  'test/service/locked-database.test.ts': 'another process holds the lock of the file',
  'test/service/real-disk.test.ts': 'the file is on a disk that is full or read-only',
  'test/service/siege.test.ts': 'holds connections and reads the memory of a process, whatever its database',
  'test/e2e/earlier.test.ts': SLOW,
  'test/commands/backup.test.ts': 'copies the file; PostgreSQL has tools of its own',
  'test/commands/failed-start.test.ts': 'a file that is not made, damaged, or of another program',
  'test/e2e/serve-backups.test.ts': 'copies the file; PostgreSQL has tools of its own',
  'test/e2e/jobs/in-doubt.test.ts': 'moves the clock of the service, which on PostgreSQL follows that of the database',
  'test/e2e/debugger-port.test.ts': SLOW,
  'test/e2e/every-command.test.ts': SLOW,
  'test/e2e/jobs/merge-kills.test.ts': SLOW,
  'test/e2e/kill.test.ts': SLOW,
  'test/e2e/marked-key.test.ts': SLOW,
  'test/e2e/repeated-kills.test.ts': SLOW,
  'test/e2e/webhooks-wait.test.ts': SLOW,
}

/** They run on PostgreSQL, but for some tests about a file. */
export const PARTLY_SQLITE: Readonly<Record<string, string>> = {
  'test/commands/serve-copy.test.ts': 'mistakes of the command line, and files that are not there',
  'test/service/store/postgres/address.test.ts': 'an address that is none of PostgreSQL',
  'test/service/store/postgres/earlier.test.ts': 'the kept database of SQLite, with which it is compared',
  'test/commands/typed-hints.test.ts': 'a port in use, found before a database is opened',
  'test/commands/serve-unique.test.ts': 'mistakes of the command line, found before a database is opened',
  'test/e2e/serve-objects.test.ts': 'companies that the objects of a file described before crm had some',
  'test/service/store/filter-columns.test.ts': 'statements that make an earlier database of either kind',
  'test/e2e/serve.test.ts': 'the file of the data folder, its mode, and a name with a space',
}

export function isSqliteOnly(file: string): boolean {
  return Object.keys(SQLITE_ONLY).some((start) => file.startsWith(start))
}
