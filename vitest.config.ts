import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './test/summary-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    // Resolved by Node and by Vite, graphql would be two packages, which do not know each other's schemas.
    server: { deps: { inline: ['graphql', 'graphql-http'] } },
    reporters: ['default', new SummaryReporter()],
  },
})
