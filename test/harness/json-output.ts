import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { outputSchema } from '../../src/commands/schema/outputs.ts'

const TREE = new URL('../golden/commands.txt', import.meta.url)

/** Global flags that take no value: whatever other flag stands before the command takes the word behind it. */
const BARE = new Set([
  '-q',
  '--quiet',
  '-y',
  '--yes',
  '--debug',
  '--no-input',
  '--key-stdin',
  '--csv-safe',
  '--no-pager',
])

/** With these the output is no longer what the schema is of. */
const OTHERWISE = /^--(?:fields|jq|curl|include|env-out|version|help)(?:=|$)|^-[ihV]$/

interface Output {
  readonly exit: number | string
  readonly stdout: string
  readonly stderr: string
}

type Validate = (value: unknown) => string | undefined

let commands: ReadonlySet<string> | undefined
/** One for all schemas: each compiles the schema of schemas anew, which takes longer than all of them. */
let ajv: Ajv2020 | undefined
const validators = new Map<string, Validate>()

/** Throws unless what a run with `-o json` or `jsonl` printed is what the schema of its command says. */
export function checkJsonOutput(args: readonly string[], { exit, stdout, stderr }: Output): void {
  const format = formatOf(args)
  if (format === undefined || args.some((word) => OTHERWISE.test(word))) return
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? ''
  if (lastLine.startsWith('{"error":')) refuse('error', args, failureOf('error', JSON.parse(lastLine)))
  if (stdout === '' || (exit !== 0 && exit !== 3 && exit !== 10)) return
  const name = commandName(args)
  // The output of the user's own command in a sandbox has no schema.
  if (name === undefined || name === 'sandbox run') return
  if (format === 'json') refuse(name, args, failureOf(name, JSON.parse(stdout)))
  else for (const line of stdout.trimEnd().split('\n')) refuse(name, args, failureOfLine(name, JSON.parse(line)))
}

/** A line is a document, or an element of one. */
function failureOfLine(name: string, value: unknown): string | undefined {
  const failure = failureOf(name, value)
  return failure !== undefined && failureOf(name, [value]) !== undefined ? failure : undefined
}

function refuse(name: string, args: readonly string[], failure: string | undefined): void {
  if (failure !== undefined) throw new Error(`crm ${args.join(' ')}: not what crm schema ${name} says: ${failure}`)
}

function formatOf(args: readonly string[]): 'json' | 'jsonl' | undefined {
  for (const [index, word] of args.entries()) {
    if (word === '--') return undefined
    const format = word === '-o' || word === '--output' ? args[index + 1] : /^(?:-o|--output)=?(.+)/.exec(word)?.[1]
    if (format === 'json' || format === 'jsonl') return format
  }
  return undefined
}

/** `contacts list`; undefined when the words name no command. */
function commandName(args: readonly string[]): string | undefined {
  commands ??= new Set(leavesOf(readFileSync(TREE, 'utf8')))
  let at = 0
  while (args[at]?.startsWith('-')) at += BARE.has(args[at] ?? '') || args[at]?.includes('=') ? 1 : 2
  // `crm records contacts list` is `crm contacts list`.
  if (args[at] === 'records') at += 1
  for (let words = 3; words > 0; words--) {
    const name = args.slice(at, at + words).join(' ')
    if (commands.has(name)) return name
  }
  return undefined
}

/** Every command of the reviewed tree. */
function leavesOf(tree: string): string[] {
  const lines = tree.split('\n').filter((line) => line.startsWith('crm '))
  return lines.map((line) => line.replace(/ [<[].*/, '').slice('crm '.length))
}

function failureOf(name: string, value: unknown): string | undefined {
  const known = validators.get(name) ?? readValidator(name)
  validators.set(name, known)
  return known(value)
}

function readValidator(name: string): Validate {
  const schema = outputSchema(name)
  if (!schema) return () => 'there is no such schema; src/commands/schema/outputs.ts has them all'
  // To optimise the code takes longer than the few values that each schema checks.
  ajv ??= new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    code: { optimize: false },
    formats: { 'date-time': isTime },
  })
  const validate = ajv.compile(closed(schema) as object)
  const textOf = (errors: typeof validate.errors) => ajv?.errorsText(errors)
  return (value) => (validate(value) ? undefined : textOf(validate.errors))
}

/** Where a schema leaves it open whether there are more members, a later version may add them; this one has none. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return 'properties' in inner && inner.type === 'object' ? { additionalProperties: false, ...inner } : inner
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
}
