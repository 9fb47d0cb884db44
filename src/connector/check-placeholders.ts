import { isElements, isMembers, type Located, meantHint, type Problems } from './located.ts'
import { ConnectorMistake } from './paths.ts'
import { compileTemplate, placeholdersOf } from './templates.ts'

interface Used {
  readonly name: string
  readonly place: Located['place']
}

function placeholdersIn(node: Located | undefined): readonly Used[] {
  if (!node) return []
  const { value, place } = node
  if (isElements(value)) return value.flatMap(placeholdersIn)
  if (isMembers(value)) return [...value.values()].flatMap(placeholdersIn)
  if (typeof value !== 'string') return []
  try {
    return placeholdersOf(compileTemplate(value)).map((name) => {
      return { name, place: { ...place, column: place.column + Math.max(0, value.indexOf(`{${name}}`)) } }
    })
  } catch (error) {
    // Its shape was reported.
    if (error instanceof ConnectorMistake) return []
    throw error
  }
}

export function uses(node: Located, names: readonly string[]): boolean {
  return placeholdersIn(node).some(({ name }) => names.includes(name))
}

export function checkPlaceholders(node: Located | undefined, known: readonly string[], problems: Problems): void {
  for (const { name, place } of placeholdersIn(node)) {
    if (known.includes(name) || (name.startsWith('parent.') && known.includes('parent.*'))) continue
    const names = known.filter((each) => each !== 'parent.*')
    const expected = names.length === 0 ? 'none here' : `one of ${names.map((each) => `{${each}}`).join(', ')}`
    problems.add(
      place,
      `{${name}} is unknown here, expected ${expected}${meantHint(
        `{${name}}`,
        names.map((each) => `{${each}}`),
      )}`,
    )
  }
}
