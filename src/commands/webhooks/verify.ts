import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { Act, Context } from '../../context.ts'
import { readInputBytes } from '../../settings/read-input.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { readSecretFile } from './listen-trust.ts'

interface Options {
  readonly secretFile: string
  readonly header?: readonly string[]
  readonly at?: number
}

export function addVerify(webhooks: CommandUnknownOpts, act: Act): void {
  const verify = webhooks
    .command('verify')
    .summary('check whether a saved request is genuine')
    .description('read a request (headers, an empty line, the body) from stdin, and check whether it is genuine')
    .requiredOption('--secret-file <file>', 'verify with the secrets in this file, one a line')
    .option('--header <line>', 'a header; stdin is then the body alone (repeatable)', collect)
    .option('--at <time>', 'as if received at this time: 2026-01-02T03:04:05Z, or Unix seconds', parseTimeMs)
    .addHelpText('after', examples('crm webhooks verify --secret-file secret.txt < request.txt'))
    .action(act(verifyRequest))
  addScopedFlags(verify, ['fields'])
}

async function verifyRequest(ctx: Context, { secretFile, header, at }: Options): Promise<undefined> {
  const secrets = await readSecretFile(ctx, secretFile)
  const { headersOf, parseSavedRequest, verifySaved } = await import('../../webhooks/saved-request.ts')
  const bytes = await readInputBytes(ctx, '-', 'the request on')
  const delivery = header ? { headers: headersOf(header), body: bytes } : parseSavedRequest(bytes)
  const { scheme, id, name, recordId } = verifySaved(delivery, secrets, at ?? ctx.now())
  await printOne(ctx, { verified: true, scheme, id: id ?? null, event: name ?? null, record_id: recordId ?? null })
}

function parseTimeMs(text: string): number {
  const timeMs = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Date.parse(text)
  if (!Number.isNaN(timeMs)) return timeMs
  throw new InvalidArgumentError('Expected a time such as 2026-01-02T03:04:05Z, or Unix seconds.')
}
