import { InvalidArgumentError } from 'commander'
import { parseDurationWithUnitMs } from '../../core/duration.ts'

export interface SimulationFlag {
  readonly failRatio: number
  readonly delayMs: number
}

/** `fail=20%,delay=2s`, either alone or both. */
export function parseSimulation(text: string): SimulationFlag {
  let rules: SimulationFlag = { failRatio: 0, delayMs: 0 }
  for (const part of text.split(',')) {
    const [, name, value = ''] = /^\s*(fail|delay)=(.+?)\s*$/.exec(part) ?? []
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(value)?.[1]
    const delayMs = parseDurationWithUnitMs(value)
    if (name === 'fail' && percent !== undefined && Number(percent) <= 100) {
      rules = { ...rules, failRatio: Number(percent) / 100 }
    } else if (name === 'delay' && delayMs !== undefined) {
      rules = { ...rules, delayMs }
    } else {
      throw new InvalidArgumentError('Expected fail=20%, delay=2s, or both with a comma.')
    }
  }
  return rules
}
