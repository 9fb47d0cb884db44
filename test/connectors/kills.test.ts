import { describe } from 'vitest'
import { claimKills } from './kill-claim.ts'
import { reaching, SERVERS } from './servers.ts'

// Most of their time, they wait.
describe.concurrent.each(SERVERS)('$connector', (server) => {
  claimKills(reaching(server), server.imported)
})
