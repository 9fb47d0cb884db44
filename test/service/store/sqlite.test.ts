import { join } from 'node:path'
import { openStore } from '../../../src/service/store/open-store.ts'
import { storeSuite } from './store-suite.ts'
import { temporaryFolder } from './temporary-folder.ts'

storeSuite('an SQLite store', {
  makePlace: async () => join(await temporaryFolder(), 'crm.db'),
  open: (file, options) => openStore({ address: file, ...options }),
})
