import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/**
 * Says at the end of a run which database tests ran on, and in the last line, in the plain form that every reader of logs
 * understands: `N passed, N failed, N skipped`.
 */
export class SummaryReporter implements Reporter {
  readonly #scripts: Readonly<Record<string, string>>
  #notRun: readonly string[] = []

  /** The script that runs each project. A run that leaves projects out names theirs. */
  constructor(scripts: Readonly<Record<string, string>>) {
    this.#scripts = scripts
  }

  onInit({ projects }: Pick<Vitest, 'projects'>): void {
    const chosen = new Set(projects.map(({ name }) => name))
    const left = Object.entries(this.#scripts).filter(([project]) => !chosen.has(project))
    this.#notRun = [...new Set(left.map(([, script]) => script))]
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const reasons = new Map<string, number>()
    const databases = new Map<string, number>()
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state]++
        if (state === 'skipped') count(reasons, reasonOf(test))
        else count(databases, test.meta().database ?? module.meta().database)
      }
    }
    const { passed, failed, skipped, pending } = counts
    const lines = [
      ...(this.#notRun.length > 0 ? [`not run: ${this.#notRun.join(', ')}`] : []),
      ...[...databases].map(([database, number]) => `${number} tests with a database ran on ${database}`),
      ...[...reasons].map(([reason, number]) => `${number} skipped: ${reason}`),
      `${passed} passed, ${failed} failed, ${skipped + pending} skipped`,
    ]
    process.stdout.write(`\n${lines.join('\n')}\n`)
  }
}

function count(numbers: Map<string, number>, what: string | undefined): void {
  if (what !== undefined) numbers.set(what, (numbers.get(what) ?? 0) + 1)
}

/** What the test gave as its reason, or what its title says in brackets; else the title. */
function reasonOf(test: TestCase): string {
  const result = test.result()
  const note = result.state === 'skipped' ? result.note : undefined
  return note ?? /\(skipped ([^)]*)\)/.exec(test.fullName)?.[1] ?? test.fullName
}
