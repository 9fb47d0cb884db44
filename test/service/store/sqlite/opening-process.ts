import { openSqliteStore } from '../../../../src/service/store/sqlite/sqlite-store.ts'

/** Opens the database it is given, to be read alone where a second word says so, and prints how that went. */
const [, , file = '', how] = process.argv
try {
  const store = await openSqliteStore({ file, now: Date.now, isOnlyRead: how === 'read' })
  const { records } = await store.stats()
  await store.close()
  process.stdout.write(how === 'read' ? `read ${records.contact} contacts\n` : 'opened\n')
} catch (error) {
  if (!(error instanceof Error && 'code' in error)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
