import { CrmError } from '../core/errors.ts'
import { shellWord } from '../core/shell-words.ts'
import { checkMeaning } from './check-meaning.ts'
import type { ConnectorDocument } from './document.ts'
import { CONNECTOR, type ReadConnector } from './format.ts'
import { isFormat1 } from './format-1.ts'
import {
  circleHint,
  isMembers,
  type Located,
  meantHint,
  memberAt,
  merged,
  Problems,
  readLocated,
  textIn,
} from './located.ts'
import { normalConnector } from './normal-connector.ts'
import { readShape } from './read-shape.ts'
import { withObjects, withShared } from './shared-parts.ts'

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
  if (isFormat1(text)) {
    throw new CrmError(
      'invalid_input',
      `${options.fileName}: connector: 1 is the format of earlier versions, expected 2`,
      {
        hint: `crm connectors check ${shellWord(options.fileName)}`,
      },
    )
  }
  const { read, problems } = examined(text, options)
  const { texts } = problems
  if (read && texts.length === 0) return normalConnector(read)
  throw new CrmError('invalid_input', texts.join('; '), {
    lines: texts,
    hint: 'schemas/connector.json lets an editor report mistakes; crm connectors show NAME prints one that is shipped',
  })
}

/** What the connector, with what it extends and copies, has; undefined if it is not of the right shape. */
function examined(
  text: string,
  { fileName, baseOf, baseNames }: LoadOptions,
): { read: ReadConnector | undefined; problems: Problems } {
  const problems = new Problems()
  const own = readLocated(fileName, text, problems)
  const whole = own && extended(own, { baseOf, baseNames, problems, names: [] })
  const tree = whole && withShared(withCopies(whole, problems))
  if (!tree) return { read: undefined, problems }
  const read = readShape(tree, CONNECTOR, problems)
  checkMeaning(tree, problems)
  blameChange(own, baseOf, problems)
  return { read, problems }
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
    const why = names.includes(name) ? `extends itself${circleHint([...names, name])}` : 'is not there'
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

/** Objects that are `like` others begin as their copies. */
function withCopies(tree: Located, problems: Problems): Located {
  const objects = memberAt(tree, 'objects')
  if (!objects || !isMembers(objects.value)) return tree
  const { value: all } = objects
  const copied = (name: string, object: Located, names: readonly string[]): Located => {
    const like = memberAt(object, 'like')
    const other = textIn(like)
    if (!like || other === undefined) return object
    const model = all.get(other)
    if (!model || names.includes(other)) {
      const others = [...all.keys()].filter((each) => each !== name)
      const why = model
        ? `is like itself${circleHint([...names, other])}, expected another object`
        : `is not an object of this connector, expected another object${meantHint(other, others)}`
      problems.add(like.place, `${JSON.stringify(other)} ${why}`)
      return object
    }
    return merged(copied(other, model, [...names, other]), object)
  }
  return withObjects(tree, (object, name) => copied(name, object, [name]))
}
