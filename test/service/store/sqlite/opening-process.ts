import { openStore } from '../../../../src/service/store/open-store.ts'

/** Opens the given database, read-only with a second argument, and prints the result. */
const [, , file = '', how] = process.argv
try {
  const store = await openStore({ address: file, now: Date.now, isOnlyRead: how === 'read' })
  const { records } = await store.stats()
  await store.close()
  process.stdout.write(how === 'read' ? `read ${records.contact} contacts\n` : 'opened\n')
} catch (error) {
  if (!(error instanceof Error && 'code' in error)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
}
