/** Tests that are about SQLite itself, by the start of their path, with the reason. They do not run on PostgreSQL. */
export const SQLITE_ONLY: Readonly<Record<string, string>> = {
  'test/service/store/sqlite/': 'the file, its permissions, its schema, statements, locks and damage',
  'test/service/graphql/batching.test.ts': 'counts the statements of a connection of SQLite',
  'test/service/locked-database.test.ts': 'another process holds the lock of the file',
  'test/service/real-disk.test.ts': 'the file is on a disk that is full or read-only',
  'test/service/siege.test.ts': 'holds connections and reads the memory of a process, whatever its database',
}

export function isSqliteOnly(file: string): boolean {
  return Object.keys(SQLITE_ONLY).some((start) => file.startsWith(start))
}
