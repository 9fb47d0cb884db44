import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { Part } from '../../jobs/plan/plan-builder.ts'
import { addScopedFlags, parseCount } from '../flags.ts'

export interface PartFlags {
  readonly sample?: number
}

/** For commands that change many records. */
export function addPartFlags(command: object): void {
  ;(command as Command).addOption(
    new Option('--sample <n>', 'of many: n of the records, the same ones each time').argParser(parseCount),
  )
  addScopedFlags(command, ['limit'])
}

/** `--limit` or `--sample`; undefined: all. */
export function partOf({ flags: { limit } }: Context, { sample }: PartFlags): Part {
  if (limit !== undefined && sample !== undefined) {
    throw new CrmError('usage', '--limit and --sample each choose a part of the records', { hint: 'use one of them' })
  }
  if (limit !== undefined) return { limit }
  return sample === undefined ? undefined : { sample }
}
