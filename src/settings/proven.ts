import { hash } from 'node:crypto'
import { join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { baseUrlText } from '../core/http-rules.ts'
import type { JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { readOwnFile } from '../files/private-file.ts'
import { objectIn, openDocument, replaceIn } from './document.ts'

/** A connector as a profile uses it, or an address without one. */
export interface ProvenFor {
  readonly profileName: string | undefined
  readonly baseUrl: URL
  /** The YAML of the connector. */
  readonly text: string
}

/** What was proven of a connector, with the day: `contacts.create`, `idempotency`. */
export type Proven = Readonly<JsonObject>

export async function readProven(env: Env, provenFor: ProvenFor): Promise<Proven> {
  return readMember(env, provenFor, 'proven')
}

/** Of the last check, if it failed: its day and first reason, of this noun if there is one; undefined where it did not fail. */
export async function readFailedCheck(env: Env, provenFor: ProvenFor, noun: string): Promise<string | undefined> {
  const { day, ...failed } = await readMember(env, provenFor, 'failed')
  const found = Object.entries(failed)
  const [, why] = found.find(([name]) => name.startsWith(`${noun}.`)) ?? found[0] ?? []
  return why === undefined ? undefined : `the check of ${String(day)} failed: ${String(why)}`
}

/** Nothing of another server, or of another text of the connector; without a profile, what any profile has proven. */
async function readMember(env: Env, provenFor: ProvenFor, member: 'proven' | 'failed'): Promise<JsonObject> {
  const file = provenFile(env)
  const document = await file.read()
  const names = provenFor.profileName === undefined ? Object.keys(document) : [provenFor.profileName]
  const entries = names.map((name) => objectIn(document, name, file.path)).filter((entry) => isOf(entry, provenFor))
  return Object.assign({}, ...entries.map((entry) => objectIn(entry, member, file.path)))
}

/** The outcome of one check of writes. */
interface Checked {
  /** By name: whether it is proven now. */
  readonly tried: ReadonlyMap<string, boolean>
  /** By name: why a check failed, a read included. */
  readonly failed: ReadonlyMap<string, string>
  readonly nowMs: number
}

/** Records what was tried, in place of what was known of it. CrmError `machine` if this user may not write there. */
export async function keepProven(env: Env, provenFor: ProvenFor, { tried, failed, nowMs }: Checked): Promise<void> {
  const file = provenFile(env)
  const day = new Date(nowMs).toISOString().slice(0, 10)
  await file.update((document) => {
    const before = objectIn(document, nameOf(provenFor), file.path)
    const known = Object.entries(isOf(before, provenFor) ? objectIn(before, 'proven', file.path) : {})
    const kept = known.filter(([name]) => !tried.has(name))
    const now = [...tried].flatMap(([name, isProven]) => (isProven ? [[name, day] as const] : []))
    return replaceIn(document, [nameOf(provenFor)], {
      ...marksOf(provenFor),
      proven: Object.fromEntries([...kept, ...now]),
      ...(failed.size > 0 && { failed: { day, ...Object.fromEntries(failed) } }),
    })
  })
}

interface Needed {
  /** The name or the file of the connector. */
  readonly connector: string
  readonly drafted: string
  readonly noun: string
  readonly verbs: readonly string[]
  readonly job: string
  readonly hint: string
}

/** CrmError `not_supported` for a verb that was never proven for this text of a drafted connector. */
export async function requireProven(env: Env, provenFor: ProvenFor, needed: Needed): Promise<void> {
  const { connector, drafted, noun, verbs, job, hint } = needed
  const proven = await readProven(env, provenFor)
  const missing = verbs.filter((verb) => !Object.hasOwn(proven, `${noun}.${verb}`))
  if (missing.length === 0) return
  const failed = await readFailedCheck(env, provenFor, noun)
  const why = failed === undefined ? '' : `; ${failed}`
  throw new CrmError(
    'not_supported',
    `nothing was sent: ${connector} was drafted on ${drafted}, and jobs need proof of each verb; not proven: ${missing.join(', ')} of ${noun}${why}`,
    { hint, job },
  )
}

function provenFile(env: Env) {
  return openDocument(join(settingsFolder(env), 'proven.json'), readOwnFile)
}

function nameOf({ profileName, baseUrl }: ProvenFor): string {
  return profileName ?? baseUrlText(baseUrl)
}

function marksOf({ baseUrl, text }: ProvenFor): JsonObject {
  return { server: baseUrlText(baseUrl), connector: hash('sha256', text) }
}

function isOf({ server, connector }: JsonObject, provenFor: ProvenFor): boolean {
  const marks = marksOf(provenFor)
  return server === marks.server && connector === marks.connector
}
