import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './test/summary-reporter.ts'

/** They put something in the place of a module or of a timer, which other files of the same worker would see. */
const REPLACING = [
  'test/fixtures/write-env.test.ts',
  'test/jobs/journal/synced-writes.test.ts',
  'test/webhooks/log/event-log.test.ts',
  'test/ui/{deletions,stopped}.test.ts',
]

/** They start the built crm, mostly to kill it, to put a terminal around it or to look at what it loads. */
const PROCESSES = ['test/e2e/**/*.test.ts', 'test/torture/**/*.test.ts']

const shared = {
  testTimeout: 20_000,
  pool: 'forks' as const,
  // Resolved by Node and by Vite, graphql would be two packages, which do not know each other's schemas.
  server: { deps: { inline: ['graphql', 'graphql-http'] } },
}

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: 'quick',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...REPLACING, ...PROCESSES],
        },
      },
      { test: { ...shared, name: 'alone', include: REPLACING } },
      // A busy machine takes its time to start them.
      { test: { ...shared, name: 'processes', isolate: false, include: PROCESSES, testTimeout: 60_000 } },
    ],
  },
})
