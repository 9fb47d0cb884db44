import type { Api } from '../api/api.ts'
import type { Page } from '../api/operations.ts'
import type { Context } from '../context.ts'
import { CrmError } from '../core/errors.ts'
import { idText } from '../core/json.ts'
import { foldedText, nearest } from '../core/nearest.ts'
import type { Field } from '../core/resources/field.ts'
import {
  type CrmRecord,
  type ImportableResource,
  isListed,
  type ListedResource,
  RECORD_RESOURCES,
  RESOURCES,
  type Resource,
} from '../core/resources/registry.ts'
import { withFlag } from './command-line.ts'

// Who owns records: users of the server, by email or id; ids alone where the server lists no users.

export type OwnedResource = ListedResource & ImportableResource

/** The member of a record that names its owner. */
export const OWNER = 'owner_id'

/** The objects that the server lists with an owner. */
export function ownedResources({ connector }: Pick<Api, 'connector'>): readonly OwnedResource[] {
  return RECORD_RESOURCES.filter((resource): resource is OwnedResource => {
    const fields = connector.document.resources[resource]?.fields ?? {}
    return isListed(resource) && connector.offers(resource, 'list') && Object.hasOwn(fields, OWNER)
  })
}

/** The users of the server; those who have left come last where they are a list of their own. */
export async function* userPages(api: Api): AsyncGenerator<Page> {
  yield* api.users.list()
  if (Object.hasOwn(api.connector.document.resources.user?.filters ?? {}, 'archived'))
    yield* api.users.list({ filters: { archived: 'true' } })
}

export interface Owner {
  readonly id: string
  /** For messages: with the email, where it is known. */
  readonly text: string
  readonly hasLeft: boolean
}

/** Finds owners by what a command line names them with. */
export interface Owners {
  /** The server has no list of users, so that a word is taken for an id. */
  readonly areUnlisted: boolean
  /** CrmError `usage` for a word that is no email and no id of a user. */
  named(flag: string, word: string): Owner
}

export async function readOwners(ctx: Pick<Context, 'api' | 'argv'>): Promise<Owners> {
  const api = await ctx.api()
  if (!api.connector.offers('user', 'list'))
    return { areUnlisted: true, named: (_, id) => ({ id, text: id, hasLeft: false }) }
  const users: CrmRecord[] = []
  for await (const { items } of userPages(api)) users.push(...items)
  return { areUnlisted: false, named: (flag, word) => userNamed(users, { flag, word, argv: ctx.argv }) }
}

interface Named {
  readonly flag: string
  readonly word: string
  readonly argv: readonly string[]
}

function userNamed(users: readonly CrmRecord[], { flag, word, argv }: Named): Owner {
  const wanted = foldedText(word)
  const found = users.filter(({ id, email }) => idText(id) === word || foldedText(idText(email) ?? '') === wanted)
  const [user] = found
  if (!user) {
    const near = nearest(
      word,
      users.map(({ email }) => idText(email) ?? ''),
    )
    throw unknownOwner({ flag, word, argv }, { why: 'no user has this email or id', near, otherwise: 'crm users list' })
  }
  if (found.length > 1) {
    const ids = found.map(({ id, status }) => `${idText(id)}${status === undefined ? '' : ` (${status})`}`)
    throw new CrmError('usage', `${flag} ${word}: ${found.length} users have this email: ${ids.join(', ')}`, {
      hint: withFlag(argv, flag, idText(user.id) ?? ''),
    })
  }
  const id = idText(user.id) ?? ''
  const hasLeft = user.status === 'archived'
  const email = idText(user.email)
  const known = email === undefined ? id : `${email} (${id}${hasLeft ? ', archived' : ''})`
  return { id, text: known, hasLeft }
}

interface Unknown {
  readonly why: string
  /** Undefined: no owner is like the word. */
  readonly near: string | undefined
  /** The hint then. */
  readonly otherwise: string
}

export function unknownOwner({ flag, word, argv }: Named, { why, near, otherwise }: Unknown): CrmError {
  const nearest = near === undefined ? '' : `; the nearest is ${near}`
  return new CrmError('usage', `${flag} ${word}: ${why}${nearest}`, {
    hint: near === undefined ? otherwise : withFlag(argv, flag, near),
  })
}

/** What a person knows a record by: the first text that it has, else its id. */
export function labelOf(resource: Resource, record: CrmRecord): string {
  const fields = Object.entries<Field>(RESOURCES[resource].fields)
  const texts = fields.flatMap(([name, { type }]) => (type === 'text' ? (idText(record[name]) ?? []) : []))
  return texts.find((text) => text !== '') ?? idText(record.id) ?? ''
}
