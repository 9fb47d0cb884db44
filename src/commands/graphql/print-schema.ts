import type { IntrospectedSchema } from '../../api/graphql/schema-text.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { writeText } from '../../core/streams.ts'
import { linesFor } from '../../output/safe-text.ts'
import { printDocument } from '../print.ts'

/** The schema of the server in the schema definition language; with `-o json` or `--jq` as the server sends it. */
export async function printSchema(ctx: Context): Promise<void> {
  const { SCHEMA_QUERY, introspectedText } = await import('../../api/graphql/schema-text.ts')
  const { graphql } = await ctx.api()
  const { text, json, errors } = await graphql.send({
    ...{ query: SCHEMA_QUERY, variables: {}, operationName: 'Schema', isRead: true, idempotencyKey: undefined },
    as: { action: 'read the schema', command: 'crm graphql --sdl' },
  })
  const { __schema } = (json.data ?? {}) as { readonly __schema?: unknown }
  if (!__schema) {
    const reason = errors.map(({ message }) => String(message)).join('; ')
    throw new CrmError('not_supported', `the server does not provide its schema${reason === '' ? '' : `: ${reason}`}`, {
      hint: 'ask for single types: crm graphql \'{ __type(name: "Query") { fields { name } } }\'',
    })
  }
  if (ctx.flags.output !== 'table' || ctx.flags.jq !== undefined) return printDocument(ctx, text)
  await writeText(ctx.io.stdout, linesFor(ctx.io.stdout, introspectedText(__schema as IntrospectedSchema)))
}
