import { parseArgs } from 'node:util'

/** Reads the flags of a rig; wrong ones end the process with 2 and `usage`, `--help` with 0. */
export function rigFlags<Name extends string>(
  usage: string,
  defaults: Readonly<Record<Name, string | boolean | undefined>>,
) {
  const misused = (message: string): never => {
    process.stderr.write(`torture: ${message}\n\n${usage}`)
    process.exit(2)
  }
  const values = parsed(defaults, misused)
  if (values.help) {
    process.stdout.write(usage)
    process.exit(0)
  }
  return {
    has: (name: Name): boolean => values[name] === true,
    wholeNumber: (name: Name): number => {
      const text = String(values[name])
      return /^\d{1,9}$/.test(text) ? Number(text) : misused(`--${name} ${text} is not a whole number`)
    },
    oneOf: <One extends string>(name: Name, all: readonly One[]): One | undefined => {
      const value = values[name]
      if (value === undefined) return undefined
      return all.find((one) => one === value) ?? misused(`--${name} ${value} is not one of ${all.join(', ')}`)
    },
  }
}

function parsed(
  defaults: Readonly<Record<string, string | boolean | undefined>>,
  misused: (message: string) => never,
): Readonly<Record<string, string | boolean | undefined>> {
  const options = Object.entries(defaults).map(([name, value]) => {
    if (typeof value === 'boolean') return [name, { type: 'boolean', default: value }] as const
    return [name, { type: 'string', ...(value !== undefined && { default: value }) }] as const
  })
  try {
    const help = { type: 'boolean', short: 'h', default: false } as const
    return parseArgs({ options: { help, ...Object.fromEntries(options) } }).values as Record<string, string | boolean>
  } catch (error) {
    return misused((error as Error).message)
  }
}

export function newSeed(): string {
  return `${Date.now() % 1_000_000}`
}
