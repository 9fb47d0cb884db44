import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject, memberOf } from '../core/json.ts'
import { linksIn } from '../core/links.ts'
import { isAlike } from '../core/other-values.ts'
import { parentMember } from '../core/resources/parents.ts'
import type { CrmRecord, Resource } from '../core/resources/registry.ts'
import { type CarryRules, carried } from './carry.ts'
import type { PlanParts } from './plan-jobs.ts'

export interface OtherRecord {
  /** On the source. */
  readonly id: string
  /** On the target; undefined for a record that was not migrated. */
  readonly to: string | undefined
  /** The members whose values differ; none for a record that the target lacks. */
  readonly members: readonly string[]
}

/** How the records of one resource compare, after they were read from both servers again. */
export interface Verified {
  readonly type: Resource
  /** Records of the source. */
  readonly source: number
  /** Those of them that the target has. */
  readonly target: number
  readonly equal: number
  /** Those of the equal ones that the target writes in another form, such as telephone numbers. */
  readonly alike: number
  readonly different: number
  readonly missing: number
  /** Records of the target that did not come from the source. */
  readonly others: number
  /** The first records that differ, or are missing. */
  readonly first: readonly OtherRecord[]
  /** SHA-256 over the digest of each record, in the order of the source. */
  readonly digest: string
  readonly targetDigest: string
}

const MOST_NAMED = 10
const DIGEST_CHARS = 22

/** Compares the members that were sent for each record of the source with those of its record on the target. */
export function verifyRecords({ source, target, ids, rules }: PlanParts): Verified {
  const { type } = rules
  const [own, theirs] = [createHash('sha256'), createHash('sha256')]
  const first: OtherRecord[] = []
  let [found, equal, alike, different, missing] = [0, 0, 0, 0, 0]
  for (const { id, record } of source.all(type)) {
    const to = ids.idOf(type, id)
    const there = to === undefined ? undefined : target.find(type, to)
    const asked = expected(carried(rules, record))
    own.update(digestOf(asked))
    if (!there) {
      theirs.update('missing')
      missing += 1
      if (first.length < MOST_NAMED) first.push({ id, to, members: [] })
      continue
    }
    found += 1
    const { shown, members, isOtherForm } = compared(asked, inOrderOfLinks(there, rules))
    theirs.update(digestOf(shown))
    if (members.length === 0) equal += 1
    else different += 1
    if (isOtherForm && members.length === 0) alike += 1
    if (members.length > 0 && first.length < MOST_NAMED) first.push({ id, to, members })
  }
  const others = target.count(type) - found
  const digests = {
    digest: own.digest('base64url').slice(0, DIGEST_CHARS),
    targetDigest: theirs.digest('base64url').slice(0, DIGEST_CHARS),
  }
  return {
    type,
    source: source.count(type),
    target: found,
    equal,
    alike,
    different,
    missing,
    others,
    first,
    ...digests,
  }
}

/** With what a note is on, which is in its path. */
function expected({ body, parent }: ReturnType<typeof carried>): JsonObject {
  return parent ? { ...body, [parentMember(parent.of)]: parent.id } : body
}

/** Links have no order. */
function inOrderOfLinks(record: CrmRecord, { rules }: CarryRules): CrmRecord {
  const links = rules.linkFields.map((name) => [name, linksIn(record[name])] as const)
  return { ...record, ...Object.fromEntries(links.filter(([, values]) => values && values.length > 0)) } as CrmRecord
}

interface Compared {
  /** The members of the target, with the values of the source where it writes them in another form. */
  readonly shown: JsonObject
  readonly members: readonly string[]
  readonly isOtherForm: boolean
}

function compared(asked: JsonObject, record: CrmRecord): Compared {
  const shown: JsonObject = {}
  const members: string[] = []
  let isOtherForm = false
  for (const [name, value] of Object.entries(asked)) {
    const there = memberOf(record, name)
    if (canonicalJson(value) === canonicalJson(there)) shown[name] = value
    else if (isAlike(there, value)) {
      shown[name] = value
      isOtherForm = true
    } else {
      shown[name] = there
      members.push(name)
    }
  }
  return { shown, members, isOtherForm }
}

function digestOf(values: JsonObject): string {
  return createHash('sha256').update(canonicalJson(values)).digest('hex')
}
