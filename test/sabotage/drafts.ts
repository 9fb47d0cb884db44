import type { Sabotage } from './sabotage.ts'

const UPDATES = ['test/probe/openapi/draft-update.test.ts']
const SHAPES = ['test/probe/openapi/shapes-of-vendors.test.ts']
const SINGLE = ['test/api/connectors/single-records.test.ts']
const LOADER = ['test/connector/load-connector.test.ts']

export const DRAFTS: readonly Sabotage[] = [
  {
    name: 'a whole record is sent with the members that the server does not take back',
    file: 'src/connector/record-map.ts',
    line: 'const isLeftOut = (name: string) => isOwnReadOnly(name) || options.drop?.includes(name) === true',
    to: 'const isLeftOut = isOwnReadOnly',
    tests: SINGLE,
  },
  {
    name: 'a draft does not leave out what an update does not take back',
    file: 'src/probe/openapi/draft-writes.ts',
    line: 'return { sends, ...nonEmpty({ drop: notTakenBack(context), set }) }',
    to: 'return { sends, ...nonEmpty({ set }) }',
    tests: UPDATES,
  },
  {
    name: 'a draft takes what an update alone has for read-only',
    file: 'src/probe/openapi/resource-context.ts',
    line: 'const writeView = createView ? schemas.merged(createView, updateView) : updateView',
    to: 'const writeView = createView ?? updateView',
    tests: UPDATES,
  },
  {
    name: 'members that each update needs are no decision',
    file: 'src/probe/openapi/draft-writes.ts',
    line: 'else missing.push(name)',
    to: '',
    tests: UPDATES,
  },
  {
    name: 'an update that cannot read its record is no decision',
    file: 'src/probe/openapi/draft-writes.ts',
    line: 'if (get !== undefined || !isJsonObject(update)) return',
    to: 'if (get !== null) return',
    tests: UPDATES,
  },
  {
    name: 'a part of a record may be sent as the whole one',
    file: 'src/connector/check-meaning.ts',
    line: 'if (select)',
    to: 'if (select && !select)',
    tests: LOADER,
  },
  {
    name: 'a single record that is answered with 204 is an error',
    file: 'src/api/connectors/shown-at.ts',
    line: 'if (status === 204) return undefined',
    to: 'void status',
    tests: SINGLE,
  },
  {
    name: 'a job goes on where an answer contradicts the connector',
    file: 'src/jobs/send/outcomes.ts',
    line: "if (contradiction) this.#stopFor({ why: 'contradicted', failure: contradiction })",
    to: '',
    tests: ['test/commands/declared-writes.test.ts'],
  },
  {
    name: 'a delete is not asked for after an unknown answer',
    file: 'src/api/writes/record.ts',
    line: 'const there = await call.whyNotGone?.()',
    to: "const there: string | undefined = 'it was not asked for'",
    tests: ['test/commands/declared-writes.test.ts'],
  },
  {
    name: 'a deletion of a job is not asked for after an unknown answer',
    file: 'src/api/writes/sender.ts',
    line: 'const there = await whyNotGone(id)',
    to: "const there: string | undefined = 'it was not asked for'",
    tests: ['test/commands/declared-writes.test.ts'],
  },
  {
    name: 'the id of a draft is that of an answer without a record',
    file: 'src/probe/openapi/resource-context.ts',
    line: 'const single = found.some(isRecord) ? found.filter(isRecord) : found',
    to: 'const single = found',
    tests: SHAPES,
  },
  {
    name: 'a draft takes the whole name of a contact without a decision',
    file: 'src/probe/openapi/draft-fields.ts',
    line: 'if (view.required.has(whole)) return {}',
    to: 'return {}',
    tests: SHAPES,
  },
  {
    name: 'a draft takes records that were used last for a list',
    file: 'src/probe/openapi/resource-context.ts',
    line: 'const own = listed && isRecent(listed) ? undefined : listed',
    to: 'const own = listed',
    tests: SHAPES,
  },
  {
    name: 'a draft limits an OData list to its first records',
    file: 'src/probe/openapi/draft-paging.ts',
    line: "const isTop = size !== undefined && foldedName(size.name) === 'top'",
    to: 'const isTop = false',
    tests: SHAPES,
  },
  {
    name: 'a draft drops a second key in the query',
    file: 'src/probe/openapi/draft-access.ts',
    line: 'carrier[name] = askAtLogin(finding.variables, name, textIn(description))',
    to: 'carriers.headers[name] = askAtLogin(finding.variables, name, textIn(description))',
    tests: SHAPES,
  },
]
