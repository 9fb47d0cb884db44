import type { TestProject } from 'vitest/node'
import { startCluster } from './cluster.ts'
import { type DatabaseServer, prepareServer } from './databases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the project `postgres` alone; undefined in others. */
    postgres: DatabaseServer
  }
}

/** One server for a run of the project `postgres`, removed at its end. Without one the run fails. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    // In memory where there is room: with a database for each test, most of the time would be syncs of new files.
    const cluster = await startCluster({}, project.config.env.TMPDIR)
    try {
      project.provide('postgres', await prepareServer(cluster))
    } catch (error) {
      await cluster.remove()
      throw error
    }
    return cluster.remove
  } catch (error) {
    throw new Error(`PostgreSQL tests not run: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
