import { describe } from 'vitest'
import { claimSingles } from './claims.ts'
import { reaching, SERVERS } from './servers.ts'

describe.each(SERVERS)('$connector', (server) => {
  claimSingles(reaching(server))
})
