import { testWithService } from '../harness/shared-service.ts'
import { startService } from './service.ts'

/** With a service that is a process of its own, for what does not depend on what else is in the database. */
export const test = testWithService((cleanUp) => startService([], cleanUp))
