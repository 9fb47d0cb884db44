import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyEnv, ROOT } from './processes.ts'
import type { ServerKind } from './server-kind.ts'

export interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** Builds of crm that lack one rule of the crash protocol: a rig that lets them pass judges nothing. */
export const MUTANTS = {
  'random-keys': [
    {
      file: 'src/jobs/send/dispatch.ts',
      from: 'const key = idempotencyKey({ account, run, digest, n, gen })',
      to: 'const key = crypto.randomUUID()',
    },
  ],
  'no-sync': [
    {
      file: 'src/jobs/store/journal.ts',
      from: 'this.sync()\n    this.#progress.take(entry)',
      to: 'this.#progress.take(entry)',
    },
  ],
  'unsynced-store': [
    { file: 'src/jobs/store/journal.ts', from: 'PRAGMA synchronous = NORMAL', to: 'PRAGMA synchronous = OFF' },
  ],
  'no-window': [
    {
      file: 'src/jobs/send/dispatch.ts',
      from: 'if (clock.latestMs() + lifeMs < task.expiresMs) return true',
      to: 'if (task) return true',
    },
  ],
  'repeated-creates': [
    {
      file: 'src/jobs/send/send-outcome.ts',
      from: "return isUpsert || operation.head.do !== 'create' || isKept",
      to: "return isUpsert || operation.head.do !== 'create' || isKept || true",
    },
  ],
} as const satisfies Record<string, readonly Change[]>

export type MutantName = keyof typeof MUTANTS

export const MUTANT_NAMES = Object.keys(MUTANTS) as readonly MutantName[]

/** What a mutant has to meet to be found out. */
export const MET_BY: Readonly<Record<MutantName, ServerKind>> = {
  'random-keys': 'keeps-keys',
  'no-sync': 'keeps-keys',
  'unsynced-store': 'keeps-keys',
  'no-window': 'keeps-keys',
  'repeated-creates': 'forgets',
}

const COPIED = ['src', 'scripts', 'bin', 'connectors', 'examples', 'package.json', 'tsconfig.json']

/** Builds this checkout with changes in `folder`; the path of its launcher. */
export function buildMutant(changes: readonly Change[], folder: string): string {
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const change of changes) apply(folder, change)
  execFileSync(process.execPath, [join(folder, 'scripts/build.ts')], { env: emptyEnv(folder), stdio: 'inherit' })
  return join(folder, 'bin/crm.js')
}

/** A change that does not fit any more must fail here, not make a mutant that is none. */
function apply(folder: string, { file, from, to }: Change): void {
  const path = join(folder, file)
  const parts = readFileSync(path, 'utf8').split(from)
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`)
  writeFileSync(path, parts.join(to))
}
