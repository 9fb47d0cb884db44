import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export function crmVersion(): string {
  return JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).version
}

/** Seconds since 1970 of the commit that is built; https://reproducible-builds.org/specs/source-date-epoch/ */
export function commitTime(): string {
  return (
    process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }).trim()
  )
}
