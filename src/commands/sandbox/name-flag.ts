import { type Command, InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { WithFlags } from '../global-flags.ts'

const DEFAULT_NAME = 'default'

export interface NameFlag {
  readonly name?: string
}

export function addNameFlag(command: object): void {
  ;(command as Command).option(
    '--name <name>',
    `tells sandboxes apart (default: ${DEFAULT_NAME}, in CI the id of the CI job)`,
    parseName,
  )
}

/** It becomes the name of a file. */
function parseName(text: string): string {
  if (/^[\w-][\w.-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError('Expected up to 64 letters, digits, dots, dashes and underscores.')
}

/** The jobs of a CI runner share a home, and each has its own. CrmError `usage` for a CI job without a known id. */
export async function sandboxName(ctx: Pick<Context, 'env'>, { name }: NameFlag): Promise<string> {
  if (name !== undefined) return name
  const { ciJobId } = await import('../../fixtures/run-id.ts')
  const job = ciJobId(ctx.env, 'name the sandbox, in each command: --name "$BUILD_ID"')
  return job === undefined ? DEFAULT_NAME : `job-${job}`
}

/** ` --name NAME`, if it was typed. */
export function nameWords({ name }: NameFlag): string {
  return name === undefined ? '' : ` --name ${name}`
}

/** CrmError `usage` for -p: a sandbox is a server of its own, which no profile names. */
export function refuseProfile({ flags: { profile } }: WithFlags<'profile'>): void {
  if (profile === undefined) return
  throw new CrmError('usage', `-p ${profile} has no effect on a sandbox, which is a server of its own`, {
    hint: 'leave out -p; to tell sandboxes apart: --name NAME',
  })
}
