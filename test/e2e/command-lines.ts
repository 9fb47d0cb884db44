import { readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'

/** Looks at the command line of every process again and again. `seen`: how often one of crm was there. */
export function watchCommandLines() {
  const all = new Set<string>()
  let seen = 0
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
        if (line.includes('bin/crm.js')) seen++
        all.add(line)
      } catch {
        // It ended since it was listed.
      }
    }
  }
  const timer = setInterval(look, 20)
  onTestFinished(() => clearInterval(timer))
  return { all: () => [...all], seen: () => seen }
}
