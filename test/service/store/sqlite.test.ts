import { join } from 'node:path'
import { openSqliteStore } from '../../../src/service/store/sqlite/sqlite-store.ts'
import { storeSuite } from './store-suite.ts'
import { temporaryFolder } from './temporary-folder.ts'

storeSuite('an SQLite store', {
  makePlace: async () => join(await temporaryFolder(), 'crm.db'),
  open: (file, now) => openSqliteStore({ file, now }),
})
