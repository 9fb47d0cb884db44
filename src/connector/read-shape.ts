import type { z } from 'zod'
import { short } from './format-parts.ts'
import { isElements, isMembers, type Located, type Place, type Problems, plain } from './located.ts'

/** What was read, if it has the shape; else undefined, with a problem added for each value that is wrong. */
export function readShape<Shape extends z.ZodType>(
  node: Located,
  shape: Shape,
  problems: Problems,
): z.output<Shape> | undefined {
  const result = shape.safeParse(plain(node), { reportInput: true })
  if (result.success) return result.data
  for (const issue of result.error.issues) addProblem(issue, node, problems)
  return undefined
}

type Issue = z.core.$ZodIssue

function addProblem(issue: Issue, root: Located, problems: Problems): void {
  const { path, message } = issue
  const node = nodeAt(root, path)
  if (issue.code === 'invalid_union') addUnionProblem(issue, root, problems)
  else if (!node) {
    const around = nodeAt(root, path.slice(0, -1)) ?? root
    problems.add(around.place, `${String(path.at(-1))} is missing, expected ${message}`)
  } else if (issue.code === 'unrecognized_keys') addUnknownKeys(issue, node, problems)
  else if (issue.code === 'invalid_key') {
    for (const { message: text } of issue.issues) problems.add(node.keyPlace, text)
  } else if (issue.code === 'custom') problems.add(movedBy(node.place, Number(issue.params?.at ?? 0)), message)
  else problems.add(node.place, `${shown(node)}, expected ${message}`)
}

/** The message has a line for each. */
function addUnknownKeys(
  { keys, message }: z.core.$ZodIssueUnrecognizedKeys,
  { value, place }: Located,
  problems: Problems,
): void {
  const texts = message.split('\n')
  for (const [at, key] of keys.entries()) {
    const keyPlace = isMembers(value) ? value.get(key)?.keyPlace : undefined
    problems.add(keyPlace ?? place, texts[at] ?? message)
  }
}

/** The shape of the same type of JSON says most about a value that is wrong. */
function addUnionProblem(issue: z.core.$ZodIssueInvalidUnion, root: Located, problems: Problems): void {
  const isOther = ({ code, path }: Issue) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
  const chosen = issue.errors.findLast((issues) => !issues.some(isOther))
  if (chosen) {
    for (const inner of chosen) addProblem({ ...inner, path: [...issue.path, ...inner.path] }, root, problems)
    return
  }
  const expected = issue.errors.map(([first]) => first?.message).join(', or ') || issue.message
  addProblem({ code: 'invalid_type', expected: 'custom', path: issue.path, message: expected } as Issue, root, problems)
}

function nodeAt(root: Located, path: readonly PropertyKey[]): Located | undefined {
  let at: Located | undefined = root
  for (const name of path) {
    if (!at) return undefined
    const { value }: Located = at
    at = isElements(value) ? value[Number(name)] : isMembers(value) ? value.get(String(name)) : undefined
  }
  return at
}

function movedBy(place: Place, columns: number): Place {
  return { ...place, column: place.column + columns }
}

function shown({ value }: Located): string {
  if (isMembers(value)) return 'a map'
  if (isElements(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return typeof value === 'string' ? short(value) : JSON.stringify(value)
}
