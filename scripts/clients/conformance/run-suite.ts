import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Driver, ROOT } from './driver.ts'
import { runScenario } from './run-scenario.ts'
import type { Area, Language, Scenario } from './suite.ts'

/** Scenarios mostly wait, so that more can run at once than there are cores. */
const DRIVERS = 6

export interface Result {
  readonly area: string
  readonly name: string
  /** `lacking`: it fails for what the client is known to lack. */
  readonly outcome: 'passed' | 'failed' | 'lacking'
  readonly faults: readonly string[]
}

export function isInstalled({ probe }: Language): boolean {
  const [program = '', ...args] = probe
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/** Runs the scenarios with the client of a language; the results are in the order of the suite. */
export function runSuite(areas: readonly Area[], language: Language, folder?: string): Promise<readonly Result[]> {
  return withBuiltDriver(language, folder, (command) => runAll(areas, { ...language, command }, folder))
}

/** Calls `use` with the command of the driver, which is built first where the language needs that. */
async function withBuiltDriver<T>(
  { build, command }: Language,
  folder: string = ROOT,
  use: (command: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!build) return use(command)
  const place = mkdtempSync(join(tmpdir(), 'crm-driver-'))
  const built = join(place, 'driver')
  const filled = (part: string) => part.replaceAll('{built}', built)
  try {
    const [program = '', ...args] = build.map(filled)
    await promisify(execFile)(program, args, { cwd: folder })
    return await use(command.map(filled))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function runAll(areas: readonly Area[], language: Language, folder?: string): Promise<readonly Result[]> {
  const open = areas.flatMap(({ area, scenarios }) => scenarios.map((scenario) => ({ area, scenario })))
  const results = new Map<Scenario, Result>()
  const queue = [...open]
  const work = async () => {
    let driver = new Driver(language.command, folder)
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { area, scenario } = next
      const faults = await runScenario(scenario, driver).catch(async (error: unknown) => {
        // Its state is unknown: the next scenario has a new one.
        await driver.end()
        driver = new Driver(language.command, folder)
        return [error instanceof Error ? error.message : String(error)]
      })
      results.set(scenario, resultOf(area, scenario, language, faults))
    }
    await driver.end()
  }
  await Promise.all(Array.from({ length: Math.min(DRIVERS, open.length) }, work))
  return open.flatMap(({ scenario }) => results.get(scenario) ?? [])
}

function resultOf(area: string, { name, needs = [] }: Scenario, language: Language, faults: readonly string[]): Result {
  const lack = needs.find((need) => Object.hasOwn(language.lacks, need))
  if (lack === undefined) return { area, name, outcome: faults.length === 0 ? 'passed' : 'failed', faults }
  if (faults.length > 0) return { area, name, outcome: 'lacking', faults }
  return { area, name, outcome: 'failed', faults: [`passes, although languages.json says that ${lack} is lacking`] }
}
