import { resolve } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { RESOURCES, resourceNamed } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { canAsk } from '../../output/prompt.ts'
import { linesFor } from '../../output/safe-text.ts'
import type { Draft, DraftRequest } from '../../probe/openapi/make-draft.ts'
import { readInputBytes } from '../../settings/read-input.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { addScopedFlags } from '../flags.ts'
import { askOpen } from './ask-open.ts'

interface Options {
  readonly openapi?: string
  readonly probe?: string
  readonly auth?: string
  readonly field?: readonly string[]
  readonly whole?: readonly string[]
  readonly writes?: readonly string[]
  readonly resource?: readonly string[]
  readonly name?: string
  readonly out?: string
}

export function addConnectorsCreate(connectors: CommandUnknownOpts, act: Act): void {
  const create = connectors
    .command('create')
    .summary("draft a connector from a server's OpenAPI document, or from its answers")
    .description("draft a connector from a server's OpenAPI document (3.0 or 3.1, JSON or YAML), or from its answers")
    .option('--openapi <file|url>', 'the document; - for stdin; a URL is fetched without a key')
    .option('--probe <url>', 'read the server at this address, by GET alone, and prove that its lists are whole')
    .option(
      '--resource <plural=path>',
      'the path of a resource, such as contacts=/persons, or contacts=none (repeatable)',
      collect,
    )
    .option(
      '--auth <how>',
      'with --probe, how the key is sent: bearer, header:NAME, header:NAME:WORD, query:NAME, basic or basic:USER',
    )
    .option(
      '--field <plural.field=path>',
      'the member of a field, such as contacts.email=profile.mail, or none (repeatable)',
      collect,
    )
    .option(
      '--whole <plural>',
      'with --probe: one answer always has all records of this resource (repeatable)',
      collect,
    )
    .option(
      '--writes <plural=how>',
      'with --probe, how the server changes records: patch (what changes), put (the whole record) or none (repeatable)',
      collect,
    )
    .option('--name <name>', 'the name of the connector; that of the host unless given')
    .option('--out <file>', 'write the draft to this file instead of stdout')
    .addHelpText(
      'after',
      `${examples(
        'crm connectors create --openapi crm.yaml --out mycrm.yaml',
        'crm connectors create --openapi https://api.example.com/openapi.json --resource contacts=/people > mycrm.yaml',
        'crm connectors create --probe https://api.example.com --resource contacts=/people --key-file key.txt --out mycrm.yaml',
        'crm auth login --connector ./mycrm.yaml',
      )}\n\nComments with "decide:" mark what the document, or reading, leaves open; a terminal is asked, and what stays open is exit 3.`,
    )
    .action(act(createConnector))
  addScopedFlags(create, ['yes'])
}

async function createConnector(ctx: Context, options: Options): Promise<undefined> {
  const name = options.name === undefined ? undefined : checkName(options.name)
  const { resource = [], field = [] } = options
  const answers = new Map([...resource.map(parseResource), ...field.map(parseField)])
  if (options.probe !== undefined) {
    if (options.openapi !== undefined) throw eitherSource('two sources: a document, and a server to read')
    const { createByProbe } = await import('./create-by-probe.ts')
    return createByProbe(ctx, { ...options, probe: options.probe, name, answers })
  }
  if (options.openapi === undefined) throw eitherSource('no source of the connector was given')
  if ([options.auth, options.whole, options.writes].some((each) => each !== undefined)) {
    throw new CrmError('usage', '--auth, --whole and --writes are for --probe', {
      hint: 'change the draft of a document itself',
    })
  }
  return createByDocument(ctx, { ...options, openapi: options.openapi, name, answers })
}

function eitherSource(what: string): CrmError {
  return new CrmError('usage', what, { hint: 'expected --openapi FILE, or --probe URL, one of them' })
}

interface ByDocument extends Pick<Options, 'out'> {
  readonly openapi: string
  readonly name: string | undefined
  readonly answers: DraftRequest['answers']
}

async function createByDocument(ctx: Context, options: ByDocument): Promise<undefined> {
  const { name, answers } = options
  const { checkOut } = await import('./create-by-probe.ts')
  await checkOut(ctx, options.out)
  const { readDescription } = await import('../../probe/openapi/read-description.ts')
  const { bytes, sourceUrl } = await readSource(ctx, options.openapi)
  const api = readDescription(bytes, options.openapi)
  const { makeDraft } = await import('../../probe/openapi/make-draft.ts')
  const make = async (given: DraftRequest['answers']) => makeDraft(api, { name, answers: given, sourceUrl })
  const draft = canAsk(ctx) ? await askOpen(ctx, answers, make) : await make(answers)
  const { draftYaml, writeDraft } = await import('../../probe/openapi/draft-yaml.ts')
  const text = draftYaml(draft, { source: sourceName(options.openapi), nowMs: ctx.now() })
  const { stdout } = ctx.io
  if (options.out === undefined) await writeText(stdout, linesFor(stdout, text))
  else await writeDraft(resolve(ctx.folder ?? '.', options.out), text, ctx.flags.isConfirmed)
  report(ctx, draft, options.out)
}

/** Without the folders of this machine, or the query of an address. */
function sourceName(source: string): string {
  return source === '-'
    ? 'stdin'
    : (source
        .replace(/[?#].*$/s, '')
        .split(/[/\\]/)
        .at(-1) ?? source)
}

function report(ctx: Context, { open, summary }: Draft, out: string | undefined): void {
  for (const line of summary) ctx.note(line)
  for (const { at, text } of open) ctx.note(`Decide: ${at}: ${text}`)
  if (open.length === 0) return
  const points = open.length === 1 ? 'a point' : `${open.length} points`
  throw new CrmError('partial', `the draft is written, but the document leaves ${points} open`, {
    hint: out === undefined ? 'each is marked in the draft with "decide:"' : `grep -n decide: ${shellWord(out)}`,
  })
}

function checkName(name: string): string {
  if (/^[a-z0-9][a-z0-9.-]{0,63}$/.test(name)) return name
  throw new CrmError('usage', `--name does not accept ${JSON.stringify(name)}`, {
    hint: 'expected small letters, digits and hyphens',
  })
}

function parseResource(text: string): readonly [string, string] {
  const [plural = '', path = ''] = text.split(/=(.*)/s)
  if (resourceNamed(plural) === undefined) {
    const plurals = Object.values(RESOURCES).map((resource) => resource.plural)
    throw new CrmError('usage', `--resource ${JSON.stringify(text)} names no resource`, {
      hint: `expected one of ${plurals.join(', ')}, such as contacts=/persons`,
    })
  }
  if (path === 'none' || path.startsWith('/')) return [plural, path]
  throw new CrmError('usage', `--resource ${JSON.stringify(text)} names no path`, {
    hint: `expected a path, such as ${plural}=/${plural}, or ${plural}=none`,
  })
}

function parseField(text: string): readonly [string, string] {
  const [, plural = '', field = '', path = ''] = /^([a-z]+)\.([a-z_]+)=(.+)$/s.exec(text) ?? []
  const resource = resourceNamed(plural)
  if (
    resource !== undefined &&
    path !== '' &&
    (field === 'id' || (field === 'parent' && resource === 'note') || Object.hasOwn(RESOURCES[resource].fields, field))
  ) {
    return [`${plural}.${field}`, path]
  }
  const fields = resource ? ['id', ...Object.keys(RESOURCES[resource].fields)].join(', ') : ''
  throw new CrmError('usage', `--field ${JSON.stringify(text)} names no field`, {
    hint: resource
      ? `expected ${plural}.FIELD=PATH, with one of ${fields}`
      : 'expected a resource, its field and a path, such as contacts.email=profile.mail',
  })
}

async function readSource(
  ctx: Context,
  source: string,
): Promise<{ readonly bytes: Uint8Array; readonly sourceUrl: URL | undefined }> {
  if (!/^https?:\/\//i.test(source)) {
    return { bytes: await readInputBytes(ctx, source, '--openapi'), sourceUrl: undefined }
  }
  const address = URL.parse(source)
  if (!address || address.username || address.password) {
    throw new CrmError('usage', '--openapi does not accept an address with a user or a password', {
      hint: 'download the document, and name the file',
    })
  }
  const { fetchDocument } = await import('../../probe/openapi/fetch-document.ts')
  const { timeoutMs } = ctx.flags
  const fetched = await fetchDocument(address, {
    timeoutMs,
    env: ctx.env,
    signal: ctx.signal,
    userAgent: `crm/${ctx.version}`,
  })
  return { bytes: fetched.bytes, sourceUrl: fetched.url }
}
