import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Offers } from '../../api/connectors/connector.ts'
import type { Asked } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import { isListed, matchHint, resourceOf } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Earlier, earlierJobs, existingFromRun, type RunIdentity } from '../history/earlier-jobs.ts'
import type { JobState } from '../history/job-state.ts'
import { type Mapping, mapName, parseMap } from '../input/columns.ts'
import { computedField } from '../input/compute.ts'
import { decodeInput } from '../input/decode-input.ts'
import { findingText, summaryLines } from '../input/findings.ts'
import { describeInput, spoolInput } from '../input/input-file.ts'
import { openRows } from '../input/open-rows.ts'
import { parentRelations } from '../input/relations.ts'
import type { Findings, FormatSummary, RowSource, TextEncoding } from '../input/row.ts'
import { textOfSheet } from '../input/workbook/text-of-sheet.ts'
import { isRechecked } from '../send/recheck.ts'
import { type JobDraft, openDraft } from '../store/job-folder.ts'
import { PageCounter } from './existing.ts'
import { leftOutLines } from './left-out.ts'
import { refuseLabels } from './link-labels.ts'
import { finishAlone, type MadeImport, PlanDraft, planHead, runId } from './make-job.ts'
import { readRetriedLines } from './make-retry.ts'
import { areTooMany, createRowErrors, refuseAbsentNames } from './match-rows.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { type Duplicates, type ImportTerms, present } from './plan-format.ts'
import { type ImportRequest, type MatchRequest, planRows, type ReadFlags } from './plan-rows.ts'
import type { PlanningContext, RowRules } from './planning.ts'
import { withReferences } from './references.ts'

/** Reads and checks the whole input, and creates a job only if it has no errors. */
export function makeImport(context: PlanningContext, request: ImportRequest): Promise<MadeImport> {
  return PlanDraft.open(openDraft(context.draftsFolder, context.nowMs()), (draft) => fillDraft(context, request, draft))
}

async function fillDraft(context: PlanningContext, request: ImportRequest, draft: PlanDraft): Promise<MadeImport> {
  const { noun, inputName, stages } = request
  const firstRun = firstRunOf(context, request)
  const run = request.isAgain ? `${firstRun}.${randomUUID()}` : firstRun
  const { input, reading, lines } = await spool(context, request, draft.files)
  const earlier = await earlierOf(context, request, { run, firstRun, sha256: input.sha256 })
  if (earlier.type === 'same') return earlier
  if (earlier.undone !== undefined) context.note(earlier.undone)
  if (request.as === 'delete') context.require(resourceOf(noun), 'delete')
  if (request.kind === 'update' && isListed(resourceOf(noun))) context.require(resourceOf(noun), 'update')
  const rules = await context.rowRules(noun)
  const opened = await openRows({
    ...reading,
    relations: [...parentRelations(rules.parents), ...rules.relations],
    parents: rules.parents,
    stages: rules.refersTo('stage') ? undefined : stages,
    server: await membersFor(request, rules),
  })
  const { findings, summary } = opened
  await refuseLabels(rules, summary.columns)
  const asked = await askedFor(rules, opened, request)
  const match = matchOf(request, summary, context.offers)
  const { rejects } = request
  const identity = {
    ...{ kind: request.kind, noun, run, of: request.of, input: { ...input, verdict: summary } },
    terms: termsOf(request, match, summary),
    ...present({ upsert: upsertOf(context, request, match), compared: comparedBy(request, match, earlier.jobs) }),
    ...(rejects && { rejects: resolve(rejects.path) }),
    ...asked,
  }
  const { head, builder } = draft.begin(planHead(context, identity, draft.files.id), request.part)
  const { scratch } = draft
  const { rateShare, creates } = request
  const source = withReferences(opened, { context, rules, scratch, preview: builder.preview, rateShare, creates })
  const pages = new PageCounter(context.pageSize(resourceOf(noun)))
  try {
    const retried = await readRetriedLines(context, request.of)
    const errors = createRowErrors({ noun, source, builder, isRejecting: rejects !== undefined })
    const parts = { context, request, draft, source, builder, before: earlier.jobs, rules, pages, retried, errors }
    const planned = await planRows(parts, match)
    const question = planned.question ?? (await questionOf(context, request, firstRun))
    const refused = refusedFor(request, findings, builder)
    if (refused) {
      await request.listFindings?.(findings)
      return refused
    }
    const made = await draft.finish(finishAlone(context, { run: firstRun, earlier }))
    const recheckRequests = isRechecked(head, made.end) ? pages.requestsWith(made.end.create) : undefined
    return {
      type: 'made',
      job: { ...made, question, recheckRequests, matching: planned.matching },
      lines: [...summaryLines(inputName, summary), ...lines],
      leftLines: [
        ...leftOutLines(builder.leftOut, 'Rows that are skipped:'),
        ...leftOutLines(builder.failing, 'Rows that fail, and are not sent:'),
      ],
      ...(findings.count > 0 && { rejected: findingText(inputName, findings) }),
      missing: source.missing(),
    }
  } finally {
    findings.removeFile()
  }
}

/** A deletion writes no column, so that it may have names that the server does not take. */
async function membersFor({ as }: ImportRequest, rules: RowRules) {
  const server = await rules.members()
  return server && as === 'delete' ? { ...server, isClosed: false } : server
}

/**
 * A finished job whose rows were matched is no end: they are matched with the server of today. That of a plan in a file sent what the plan
 * has, which may be another part of the input.
 */
function earlierOf(
  context: PlanningContext,
  { kind }: ImportRequest,
  runs: Pick<RunIdentity, 'run' | 'firstRun' | 'sha256'>,
): Promise<Earlier> {
  const isCompared = ({ head: { applied, terms }, account }: JobState) =>
    kind === 'retry' ? account.failed > 0 : applied !== undefined || (terms?.match.names.length ?? 0) > 0
  return earlierJobs(context.jobsFolder, { ...context, ...runs, isCompared })
}

function repairedLines({ repaired }: TextEncoding): readonly string[] {
  if (repaired === 0) return []
  return [`${repaired === 1 ? '1 line is' : `${repaired} lines are`} Windows-1252, the others UTF-8`]
}

/** A sheet is written in UTF-8; a spreadsheet knows its failed rows by the mark. */
const SHEET_ENCODING: TextEncoding = { encoding: 'utf-8', hasBom: true, repaired: 0 }

/** Copies the input, and decodes it; of a workbook, the text of a sheet takes its place. */
async function spool(context: PlanningContext, request: ImportRequest, { input: path, folder }: JobDraft) {
  const { noun, inputName: name, read, match, listFindings } = request
  const { signal, note } = context
  await spoolInput(name, context.stdin(), path)
  const onBytes = (done: number, total: number) => context.onStep({ what: name, unit: 'bytes', done, total })
  const readSheet = await textOfSheet({ path, name, read, isRetry: request.kind === 'retry', signal, onBytes })
  const text = readSheet ? SHEET_ENCODING : await decodeInput({ path, name, asked: read.encoding })
  const input = await describeInput(name, path)
  const [key = 'id'] = match.names
  const reading = {
    ...{ ...read, path, name, kind: resourceOf(noun), readSheet, text },
    isMatchedById: key === 'id' && context.offers(resourceOf(noun), 'update'),
    ...{ signal, note, nowMs: context.nowMs() },
    onBytes: (done: number) => onBytes(done, input.size),
    findingsPath: listFindings && join(folder, 'findings'),
  }
  return { input, reading, lines: [...(readSheet?.notes ?? []), ...repairedLines(text)] }
}

function refusedFor(
  { rejects, inputName, as }: ImportRequest,
  findings: Findings,
  { counts }: PlanBuilder,
): MadeImport | undefined {
  const tooMany = areTooMany(counts, rejects?.most) ? counts.rejected : undefined
  if (findings.count === 0 || (rejects && tooMany === undefined)) return undefined
  const hint = as === 'import' ? otherIdsHint(findings) : undefined
  const more = { ...(tooMany && { tooMany }), ...(hint && { hint }) }
  return { type: 'refused', findings, text: findingText(inputName, findings), ...more }
}

/** For an export of another server: no id exists here. */
function otherIdsHint(findings: Findings): string | undefined {
  const [group, ...others] = findings.groups()
  if (group?.code !== 'not_there' || others.length > 0) return undefined
  const column = group.column ?? 'id'
  const map = shellWord(`${/[",=]/.test(column) ? JSON.stringify(column) : column}=`)
  return `if they are the ids of another server: --map ${map} leaves them out, and creates a record for each row`
}

/**
 * The members by which planning compares each row with every record. Without `--match` it looks for records that are equal: those
 * of a row without an email may be listed under one.
 */
function comparedBy({ as, kind, noun, isAgain }: ImportRequest, { names }: MatchRequest, before: readonly unknown[]) {
  if (as !== 'import' || kind !== 'import' || names[0] === 'id') return undefined
  if (names.length > 0) return names
  return !isAgain && before.length === 0 && isListed(resourceOf(noun)) ? ['email'] : undefined
}

/** The field by which the server itself creates or changes; undefined where it cannot. */
export function upsertOf(
  { upserts }: Pick<PlanningContext, 'upserts'>,
  { as, noun }: Pick<ImportRequest, 'as' | 'noun'>,
  { names, mode }: MatchRequest,
): string | undefined {
  const [name, ...others] = names
  if (as !== 'import' || mode !== 'upsert' || name === undefined || others.length > 0) return undefined
  return upserts(resourceOf(noun), name) ? name : undefined
}

/** Records show the members of the rows from now on. */
async function askedFor(rules: RowRules, source: RowSource, { read, as }: ImportRequest): Promise<Asked | undefined> {
  if (!rules.isSelecting) return undefined
  return rules.ask(await namesIn(source, read.compute), as === 'delete' ? 'all' : undefined)
}

/** The members that the rows write; without a header row each of them may have others. */
async function namesIn(source: RowSource, compute: readonly string[]): Promise<Iterable<string>> {
  const { columns, head } = source.summary
  const named = [...columns.flatMap(({ field }) => field ?? []), ...compute.map(computedField)]
  const names = new Set(named.flatMap((name) => [name, ...name.split('.').slice(0, 1)]))
  if (head) return names
  for await (const rows of source.rows()) {
    for (const { fields } of rows) for (const name of Object.keys(fields)) names.add(name)
  }
  return names
}

function termsOf({ as, read, duplicates }: ImportRequest, match: MatchRequest, summary: FormatSummary): ImportTerms {
  const { format, sheet, ...kept } = read
  const map = typedMap(read.map, summary)
  return { as, match, ...(duplicates !== 'error' && { duplicates }), read: { ...kept, map } }
}

/** The question before `--again`; matched rows are not created again, so they need none. */
async function questionOf(context: PlanningContext, { isAgain, match, as, noun }: ImportRequest, run: string) {
  if (!isAgain || as !== 'import' || match.names.length > 0) return undefined
  return existingFromRun(context.jobsFolder, { account: context.account, run, noun })
}

/** `--map` with the types of the sheet: corrected rows are text, and their columns would be texts without. */
function typedMap(map: readonly string[], { columns }: FormatSummary): readonly string[] {
  if (!columns.some(({ type }) => type !== undefined)) return map
  const mappings = new Map(parseMap(map))
  for (const [at, { name, field, type }] of columns.entries()) {
    if (type === undefined) continue
    const numbered = `#${at + 1}`
    const column = mappings.has(numbered) ? numbered : name
    mappings.set(column, { ...mappings.get(column), column, field, type })
  }
  return [...mappings.values()].map(mapText)
}

function mapText({ column, field = '', type, conversion }: Mapping): string {
  const { name, argument } = conversion ?? {}
  const converted = argument === undefined ? name : `${name}(${argument})`
  const target = [field, name === undefined ? type : converted].filter((part) => part !== undefined).join(':')
  return `${mapName(column)}=${target}`
}

/** Adds the match by id for an input with an id column. */
function matchOf(
  { as, match, noun, inputName, read, duplicates }: ImportRequest,
  summary: FormatSummary,
  offers: Offers,
): MatchRequest {
  const { columns } = summary
  const hasIds = columns.some(({ field }) => field === 'id')
  const resource = resourceOf(noun)
  const canMatch = offers(resource, as === 'delete' ? 'delete' : 'update')
  if (match.names.length === 0 && hasIds && canMatch) return { names: ['id'], mode: 'update' }
  if (match.names.length === 0 && as !== 'import') {
    throw new CrmError(
      'invalid_input',
      `${inputName} has no column id to select the records to ${as === 'delete' ? as : 'update'}`,
      {
        hint: `name a field that identifies a ${resource}: --match ${matchHint(resource)}`,
      },
    )
  }
  if (match.names.length > 0 && !canMatch) {
    throw new CrmError('not_supported', `an import only creates ${noun}, so --match does not apply`, {
      hint: isListed(resource) ? `crm ${noun} update --from FILE changes existing ones` : 'leave --match out',
    })
  }
  refuseDuplicatesAlone(match, duplicates, matchHint(resource))
  refuseAbsentNames(match.names, { resource, inputName, compute: read.compute, summary })
  refuseEditsAlone(match, columns, matchHint(resource))
  return match
}

function refuseDuplicatesAlone({ names }: MatchRequest, duplicates: Duplicates, hint: string): void {
  if (names.length > 0 || duplicates === 'error') return
  throw new CrmError('usage', `--duplicates ${duplicates} needs --match: rows are the same if they have the same key`, {
    hint: `--match ${hint} --duplicates ${duplicates}`,
  })
}

/** `tags+` changes what a record has: a row that was sent before would otherwise replace it. */
function refuseEditsAlone({ names }: MatchRequest, columns: FormatSummary['columns'], hint: string): void {
  const column = columns.find(({ isEdit }) => isEdit)
  if (names.length > 0 || column === undefined) return
  const message = `the column ${JSON.stringify(column.name)} adds to or takes from records that exist, so rows must name them`
  throw new CrmError('usage', message, { hint: `--match ${hint}` })
}

function firstRunOf(
  context: PlanningContext,
  { kind, noun, inputName, read, match, run, duplicates, part }: ImportRequest,
): string {
  const mapping = mappingOf(read)
  if (duplicates !== 'error') mapping.push(['duplicates', duplicates])
  if (match.names.length > 0) mapping.push(['match', match.names], ['mode', match.mode])
  // The rest of the file is another run: the same file is not done when a part of it is.
  if (run !== undefined) return part ? `${run} ${JSON.stringify(part)}` : run
  if (part) mapping.push(['part', JSON.stringify(part)])
  return runId({ account: context.account, kind, noun, mapping, inputName })
}

function mappingOf(read: ReadFlags): [string, string | readonly string[] | undefined][] {
  return [
    ['map', read.map],
    ['null', read.nullToken],
    ['clear-empty', read.isEmptyCleared ? 'yes' : undefined],
    ['new-field', read.isNewAllowed ? 'yes' : undefined],
    ['compute', read.compute],
    ['format', read.format],
    ['sheet', read.sheet],
    ['encoding', read.encoding],
    ['delimiter', read.delimiter],
    ['quote', read.quote],
    ['trim', read.isTrimmed ? 'yes' : undefined],
    ['decimal', read.decimal],
    ['date-format', read.dateOrder],
  ]
}
