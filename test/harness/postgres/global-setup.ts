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
    const cluster = await startCluster()
    const { host, port, user, password } = cluster
    project.provide('postgres', await prepareServer({ host, port, user, password }))
    return cluster.remove
  } catch (error) {
    throw new Error(`PostgreSQL tests not run: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}
