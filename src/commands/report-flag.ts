import { type Command, InvalidArgumentError } from 'commander'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import type { ExitCode } from '../core/exit.ts'
import { type Check, githubText, junitText } from '../output/check-report.ts'
import { safeLines } from '../output/safe-text.ts'
import type { WithFlags } from './global-flags.ts'

/** Where a report goes. */
type Destination = { readonly type: 'github' } | { readonly type: 'junit'; readonly file: string }

export interface ReportFlags {
  readonly report?: readonly Destination[]
}

/** For commands of CI jobs. A report has failures if, and only if, the exit code is not 0. */
export function addReportFlag(command: object): void {
  ;(command as Command).option(
    '--report <to>',
    'also report what failed: junit=FILE, or github for annotations on stderr (repeatable)',
    parseDestination,
  )
}

function parseDestination(text: string, before: readonly Destination[] = []): readonly Destination[] {
  const file = /^junit=(.+)$/s.exec(text)?.[1]
  if (file !== undefined) return [...before, { type: 'junit', file }]
  if (text === 'github') return [...before, { type: 'github' }]
  throw new InvalidArgumentError('Expected junit=FILE or github.')
}

interface Reported {
  /** The command. */
  readonly name: string
  readonly flags: ReportFlags
  work(add: (check: Check) => void): Promise<ExitCode | undefined>
}

/** Reports what `work` adds, and the error with which it ends. */
export async function withReport(
  ctx: Pick<Context, 'io' | 'now' | 'redact'>,
  { name, flags: { report: destinations = [] }, work }: Reported,
): Promise<ExitCode | undefined> {
  if (destinations.length === 0) return await work(() => {})
  const checks: Check[] = []
  const startedAtMs = ctx.now()
  const report = () => ({ name, startedAtMs, tookMs: ctx.now() - startedAtMs, checks })
  const add = (check: Check): void => void checks.push(redacted(ctx, check))
  const files = destinations.flatMap((each) => (each.type === 'junit' ? [each.file] : []))
  const { requireReportFile, writeReportFile } = await import('../output/report-file.ts')
  for (const file of files) await requireReportFile(file)
  // Before the work: a report of an earlier run must not stand for a run that was killed.
  const begun = { ...report(), checks: [{ name, failure: 'the command did not come to its end' }] }
  for (const file of files) await writeReportFile(file, junitText(begun))
  try {
    const exit = await work(add)
    // CI systems take a report without a test case for a broken one.
    if (checks.length === 0) add({ name, failure: exit ? `exit code ${exit}` : undefined })
    return exit
  } catch (error) {
    for (const check of checksOf(name, error, checks)) add(check)
    throw error
  } finally {
    for (const file of files) await writeReportFile(file, junitText(report()))
    const isAnnotated = destinations.some(({ type }) => type === 'github')
    if (isAnnotated) ctx.io.stderr.write(safeLines(githubText(report())))
  }
}

function redacted({ redact }: Pick<Context, 'redact'>, { name, failure, note, ...rest }: Check): Check {
  return {
    ...rest,
    name: redact(name),
    failure: failure === undefined ? undefined : redact(failure),
    note: note === undefined ? undefined : redact(note),
  }
}

function checksOf(name: string, error: unknown, before: readonly Check[]): readonly Check[] {
  if (!(error instanceof CrmError)) return [{ name, failure: `a bug: ${String(error)}` }]
  const { places = [], hint } = error.details
  if (places.length > 0) {
    return places.map(({ problem, ...place }) => ({ name: `${place.file}:${place.line}`, place, failure: problem }))
  }
  const isStated = before.some(({ failure }) => failure !== undefined)
  return isStated ? [] : [{ name, failure: `${error.message}\n${hint}` }]
}

/** `-q` with a table: the summary takes the place of the rows. Programs read other formats, in which rows stay. */
export function isSummaryAlone({ flags }: WithFlags<'isQuiet' | 'output' | 'fields'>): boolean {
  return flags.isQuiet && flags.output === 'table' && flags.fields === undefined
}
