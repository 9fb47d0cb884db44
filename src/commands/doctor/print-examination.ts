import type { Context } from '../../context.ts'
import { EXIT } from '../../core/exit.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { printRecords } from '../../output/print-records.ts'
import { itemsOf, onePage, printList, printOne, recordOutput } from '../print.ts'
import type { Change } from './changes.ts'
import type { PatientHere } from './patient.ts'

type Finding = Awaited<ReturnType<Context['examine']>>[number]

export interface Examination {
  readonly patient: PatientHere
  readonly findings: readonly Finding[]
  readonly changes: readonly Change[]
  readonly isWritten: boolean
}

const COLUMNS = ['check', 'state', 'seen'] as const

/** One document where the format has room for one, else a row for each check. */
export async function printExamination(ctx: Context, examination: Examination): Promise<undefined> {
  const { output } = ctx.flags
  if (output === 'json' || output === 'yaml') return printOne(ctx, documentOf(examination))
  if (output !== 'table') {
    const pages = onePage(examination.findings.map(rowOf))
    return printList(ctx, { pages, columns: COLUMNS, plural: 'checks' })
  }
  const rows = examination.findings.map(({ check, state, seen }) => ({ check, state, seen }))
  // As if it were piped: what was seen is the whole point, and is not cut to the width of a terminal.
  const stdout = { write: ctx.io.stdout.write.bind(ctx.io.stdout) }
  await printRecords(await recordOutput(ctx, COLUMNS, stdout), itemsOf(onePage(rows)))
}

function documentOf({ patient, findings, changes, isWritten }: Examination): CrmRecord {
  const first = findings.find(({ failure }) => failure !== undefined)
  return {
    base_url: patient.baseUrl.href.replace(/\/$/, ''),
    profile: patient.profileName ?? null,
    ok: first === undefined,
    exit: first?.failure?.exit ?? EXIT.ok,
    checks: findings.map(rowOf),
    settings: changes.map((change): JsonObject => ({ ...change })),
    written: isWritten,
  }
}

function rowOf({ check, state, seen, found, hint, failure }: Finding): JsonObject {
  return { check, state, seen, code: failure?.code ?? null, hint: hint ?? null, found: found ?? {} }
}
