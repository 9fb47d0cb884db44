import { withLock } from '../../src/files/lock.ts'

/** A process that holds the lock named on its command line until it is killed. */
await withLock(process.argv[2] ?? '', async () => {
  process.stdout.write('held\n')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})
