import { openSqliteStore } from '../../../../src/service/store/sqlite/sqlite-store.ts'

/** Opens the database it is given and prints how that went. */
const [, , file = ''] = process.argv
try {
  const store = await openSqliteStore({ file, now: Date.now })
  await store.close()
  process.stdout.write('opened\n')
} catch (error) {
  if (!(error instanceof Error && 'code' in error)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
