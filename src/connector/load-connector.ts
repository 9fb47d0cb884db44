import { CrmError } from '../core/errors.ts'
import { checkMeaning } from './check-meaning.ts'
import type { ConnectorDocument } from './document.ts'
import { CONNECTOR, type WrittenConnector } from './format.ts'
import { isMembers, type Located, meantHint, memberAt, merged, Problems, readLocated, textIn } from './located.ts'
import { normalConnector } from './normal-connector.ts'
import { readShape } from './read-shape.ts'

export interface LoadOptions {
  /** For messages. */
  readonly fileName: string
  /** The text of the connector that this one extends; undefined if there is none of that name. */
  readonly baseOf: (name: string) => string | undefined
  /** For messages: the names that `baseOf` has. */
  readonly baseNames?: () => readonly string[]
}

/**
 * Reads a connector: `extends`, `like`, shorthands and defaults are resolved, and everything is checked. CrmError
 * `invalid_input` with all mistakes, at most 20, each with file, line and column.
 */
export function loadConnector(text: string, options: LoadOptions): ConnectorDocument {
  const { written, problems } = examined(text, options)
  const { texts } = problems
  if (written && texts.length === 0) return normalConnector(written)
  throw new CrmError('invalid_input', texts.join('; '), {
    lines: texts,
    hint: 'schemas/connector.json lets an editor report mistakes; crm connectors show NAME prints one that is shipped',
  })
}

/** What the connector, with what it extends and copies, has; undefined if it is not of the right shape. */
function examined(
  text: string,
  { fileName, baseOf, baseNames }: LoadOptions,
): { written: WrittenConnector | undefined; problems: Problems } {
  const problems = new Problems()
  const own = readLocated(fileName, text, problems)
  const whole = own && extended(own, { baseOf, baseNames, problems, names: [] })
  const tree = whole && withCopies(whole, problems)
  if (!tree) return { written: undefined, problems }
  const written = readShape(tree, CONNECTOR, problems)
  checkMeaning(tree, problems)
  blameChange(own, baseOf, problems)
  return { written, problems }
}

/** A mistake in the file of the base that the base alone does not have is one of the connector that changes it. */
function blameChange(own: Located | undefined, baseOf: LoadOptions['baseOf'], problems: Problems): void {
  const reference = memberAt(own, 'extends')
  const name = textIn(reference)
  const base = name === undefined ? undefined : baseOf(name)
  if (!reference || base === undefined || problems.texts.length === 0) return
  const others = (each: string) => (each === name ? undefined : baseOf(each))
  const ofBase = examined(base, { fileName: `${name}.yaml`, baseOf: others }).problems.texts
  problems.moveForeign(reference.place, (text) => ofBase.includes(text))
}

interface Extending extends Pick<LoadOptions, 'baseOf'> {
  readonly baseNames: LoadOptions['baseNames']
  readonly problems: Problems
  /** The connectors on the way here. */
  readonly names: readonly string[]
}

const MOST_BASES = 5

/** Undefined without its base: what it lacks is unknown. */
function extended(tree: Located, extending: Extending): Located | undefined {
  const { baseOf, baseNames, problems, names } = extending
  const reference = memberAt(tree, 'extends')
  const name = textIn(reference)
  if (!reference || name === undefined) return tree
  const text = names.includes(name) || names.length >= MOST_BASES ? undefined : baseOf(name)
  if (text === undefined) {
    const why = names.includes(name) ? 'extends itself' : 'is not there'
    const meant = meantHint(name, baseNames?.() ?? [])
    problems.add(
      reference.place,
      `the connector ${JSON.stringify(name)} ${why}, expected the name of a shipped one${meant}`,
    )
    return undefined
  }
  const base = readLocated(`${name}.yaml`, text, problems)
  const whole = base && extended(base, { ...extending, names: [...names, name] })
  return whole && merged(withoutOtherAuth(whole, tree), tree)
}

/** Another way to send the key begins anew. */
function withoutOtherAuth(base: Located, over: Located): Located {
  const [before, after] = [base, over].map((node) => textIn(memberAt(node, 'auth', 'in')))
  if (after === undefined || after === before || !isMembers(base.value)) return base
  return { ...base, value: new Map([...base.value].filter(([name]) => name !== 'auth')) }
}

/** Resources that are `like` others begin as their copies. */
function withCopies(tree: Located, problems: Problems): Located {
  const resources = memberAt(tree, 'resources')
  if (!isMembers(tree.value) || !resources || !isMembers(resources.value)) return tree
  const { value: all } = resources
  const copied = (name: string, resource: Located, names: readonly string[]): Located => {
    const like = memberAt(resource, 'like')
    const other = textIn(like)
    if (!like || other === undefined) return resource
    const model = all.get(other)
    if (!model || names.includes(other)) {
      const others = [...all.keys()].filter((each) => each !== name)
      const why = model ? 'is like itself' : 'is not a resource of this connector'
      problems.add(like.place, `${JSON.stringify(other)} ${why}, expected another resource${meantHint(other, others)}`)
      return resource
    }
    return merged(copied(other, model, [...names, other]), resource)
  }
  const copies = new Map(Array.from(all, ([name, resource]) => [name, copied(name, resource, [name])]))
  return { ...tree, value: new Map([...tree.value, ['resources', { ...resources, value: copies }]]) }
}
