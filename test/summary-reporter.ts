import type { Reporter, TestModule } from 'vitest/node'

/** The last line of a run, in the plain form that every reader of logs understands: `N passed, N failed, N skipped`. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++
      for (const test of module.children.allTests()) counts[test.result().state]++
    }
    const { passed, failed, skipped, pending } = counts
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped + pending} skipped\n`)
  }
}
