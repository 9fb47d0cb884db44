import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'

export type Env = Readonly<Record<string, string>>

/** Who undoes what a harness piece made: the end of the test, or of the file for what its tests share. */
export type CleanUp = (work: () => void | Promise<void>) => void

export function tempFolder(cleanUp: CleanUp = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'crm-home-'))
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * An environment with nothing in it but an empty HOME, removed after the test, and what opens `newDatabase`. Node keeps no compiled
 * code there, which no second process would read.
 */
export function emptyHome(added: Env = {}, cleanUp: CleanUp = onTestFinished): Env & { readonly HOME: string } {
  const base = { HOME: tempFolder(cleanUp), PATH: process.env.PATH ?? '', NODE_DISABLE_COMPILE_CACHE: '1' }
  return { ...base, ...databaseEnv(), ...added }
}

/** The password of the databases of the project `postgres`; nothing in others. */
export function databaseEnv(): Env {
  const server = inject('postgres')
  return server ? { PGPASSWORD: server.servicePassword } : {}
}

/** How a command line ended, and what it wrote. */
export interface Run {
  readonly exit: number | string
  readonly stdout: string
  readonly stderr: string
}
