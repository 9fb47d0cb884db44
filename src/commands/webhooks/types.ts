import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'

const LANGUAGES = ['ts', 'json-schema'] as const

interface Options {
  readonly lang: (typeof LANGUAGES)[number]
}

export function addWebhooksTypes(webhooks: CommandUnknownOpts, act: Act): void {
  webhooks
    .command('types')
    .description('print the types of all events of crm serve; needs no server')
    .addOption(new Option('--lang <name>', 'TypeScript, or JSON Schema').choices(LANGUAGES).default('ts' as const))
    .addHelpText(
      'after',
      examples('crm webhooks types > crm-events.ts', 'crm webhooks types --lang json-schema > crm-events.schema.json'),
    )
    .action(act(printTypes))
}

async function printTypes({ io }: Context, { lang }: Options): Promise<undefined> {
  const { eventJsonSchema, eventTypescript } = await import('../../service/openapi/events.ts')
  const text = lang === 'ts' ? eventTypescript() : `${JSON.stringify(eventJsonSchema(), undefined, 2)}\n`
  await writeText(io.stdout, text)
}
