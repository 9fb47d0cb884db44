import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './test/summary-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'forks',
    reporters: ['default', new SummaryReporter()],
  },
})
