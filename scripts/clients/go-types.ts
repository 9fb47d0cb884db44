import { type DescribedResource, type DescribedType, describedTypes, type Member } from './described.ts'

const INITIALS = new Set(['id', 'url'])

/** `owner_id` is OwnerID, `amount[gte]` is AmountGte. */
export function goName(name: string): string {
  const words = name.split(/[_[\]]+/).filter((word) => word !== '')
  return words
    .map((word) => (INITIALS.has(word) ? word.toUpperCase() : `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`))
    .join('')
}

/** The types of a resource in Go. */
export function goTypes(resource: DescribedResource): string {
  return describedTypes(resource)
    .map((type) => (isSent(type) ? sentType(type) : recordType(type)))
    .join('\n')
}

function isSent({ name }: DescribedType): boolean {
  return name.startsWith('New') || name.endsWith('Patch')
}

function baseType({ kind }: Member): string {
  if (typeof kind === 'object') return 'string'
  return { text: 'string', texts: '[]string', integer: 'int64', number: 'json.Number' }[kind]
}

function fieldLines(member: Member, type: string): readonly string[] {
  const values = typeof member.kind === 'object' ? [`One of ${member.kind.oneOf.join(', ')}.`] : []
  const texts = [...(member.about === undefined ? [] : [`${member.about}.`]), ...values]
  return [...texts.map((text) => `\t// ${text}`), `\t${goName(member.name)} ${type}`, '']
}

function sentType({ name, members }: DescribedType): string {
  const fields = members.flatMap((member) =>
    fieldLines(member, member.isRequired ? baseType(member) : `Optional[${baseType(member)}]`),
  )
  const puts = members.map((member) =>
    member.isRequired
      ? `\tmembers["${member.name}"] = given.${goName(member.name)}`
      : `\tgiven.${goName(member.name)}.put(members, "${member.name}")`,
  )
  return [
    `// A ${name} is sent to the server.`,
    `type ${name} struct {`,
    ...fields,
    '\t// Further members.',
    '\tExtra Members',
    '}\n',
    `func (given ${name}) members() Members {`,
    '\tmembers := copied(given.Extra)',
    ...puts,
    '\treturn members',
    '}\n',
  ].join('\n')
}

const READERS = { string: 'text', '[]string': 'texts', int64: 'integer', 'json.Number': 'number' }

function recordType({ name, members }: DescribedType): string {
  const fields = members.flatMap((member) => {
    const tag = member.isRequired ? '' : ',omitempty'
    return fieldLines(member, `${baseType(member)} \`json:"${member.name}${tag}"\``)
  })
  const reads = members.map((member) => {
    const reader = READERS[baseType(member) as keyof typeof READERS]
    return `\trecord.${goName(member.name)} = members.${reader}("${member.name}")`
  })
  return [
    `// A ${name} is what the server sent. A member that is absent or null is empty.`,
    `type ${name} struct {`,
    ...fields,
    '\t// All members, as the server sent them.',
    '\tMembers Members `json:"-"`',
    '}\n',
    `func new${name}FromMembers(members Members) ${name} {`,
    `\trecord := ${name}{Members: members}`,
    ...reads,
    '\treturn record',
    '}\n',
  ].join('\n')
}
