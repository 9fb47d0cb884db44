import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import type { WithFlags } from '../global-flags.ts'

export function addSchema(program: CommandUnknownOpts, act: Act): void {
  program
    .command('schema [command...]')
    .summary('print the JSON Schema of what a command prints')
    .description(
      'print the JSON Schema of what a command prints with -o json, or of errors; without a command, their names',
    )
    .addHelpText(
      'after',
      `${examples('crm schema', 'crm schema contacts list', 'crm schema error > error.schema.json')}\n\nA schema is that of the output before --fields and --jq, in the dialect of 2020-12. Servers may send more members.`,
    )
    .action(act(printSchema))
}

async function printSchema(ctx: Context, given: readonly string[]): Promise<undefined> {
  const { OUTPUT_NAMES, outputSchema } = await import('./outputs.ts')
  const name = given.join(' ')
  if (name === '') return writeNames(ctx, OUTPUT_NAMES)
  const schema = outputSchema(name)
  if (!schema) throw noSchema(name, OUTPUT_NAMES)
  await writeText(ctx.io.stdout, `${JSON.stringify(schema, undefined, 2)}\n`)
}

async function writeNames(
  { io, flags }: Pick<Context, 'io'> & WithFlags<'output'>,
  names: readonly string[],
): Promise<undefined> {
  const lines = flags.output === 'jsonl' ? names.map((name) => JSON.stringify(name)) : names
  await writeText(
    io.stdout,
    flags.output === 'json' ? `${JSON.stringify(names, undefined, 2)}\n` : `${lines.join('\n')}\n`,
  )
}

function noSchema(name: string, names: readonly string[]): CrmError {
  const below = names.filter((each) => each.startsWith(`${name} `))
  const meant = nearest(name, names) ?? below[0]
  const what = below.length > 0 ? `; there is one of ${below.join(', ')}` : ''
  return new CrmError('usage', `there is no schema of ${JSON.stringify(name)}${what}`, {
    hint: meant === undefined ? 'crm schema' : `crm schema ${meant}`,
  })
}
