import { copyStore } from '../../../../../src/service/store/open-store.ts'

/** Copies one database into another, and prints a line for each batch. */
const [, , from = '', to = ''] = process.argv
const { PGPASSWORD } = process.env
const tables = await copyStore({
  ...{ from, to, location: from, env: { PGPASSWORD } },
  signal: new AbortController().signal,
  onProgress: ({ phase, done }) => process.stdout.write(`${phase} ${done}\n`),
})
process.stdout.write(`${JSON.stringify(tables)}\n`)
