import type { Account } from './judge.ts'

/** What `-o json` printed; undefined where the run ended before it had an account. */
export function readAccount(stdout: string): Account | undefined {
  return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as Account)
}
