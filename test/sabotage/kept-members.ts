import type { Sabotage } from './sabotage.ts'

const NAMED = ['test/connectors/named-members.test.ts']
const SEVERAL = ['test/connectors/several-values.test.ts']

/** What jobs keep and compare of members that a server shows in ways of its own. */
export const KEPT_MEMBERS: readonly Sabotage[] = [
  {
    name: 'a deletion keeps the members that it writes alone',
    file: 'src/jobs/plan/make-selection.ts',
    line: "const asked = rules.ask(Object.keys(patch ?? {}), kind === 'delete' ? 'all' : undefined)",
    to: 'const asked = rules.ask(Object.keys(patch ?? {}))',
    tests: NAMED,
  },
  {
    name: 'a plan is applied without its members',
    file: 'src/jobs/plan/apply-plan.ts',
    line: 'if (head.asked) (await context.rowRules(head.noun)).ask(head.asked)',
    to: '',
    tests: NAMED,
  },
  {
    name: 'members of later records of a file are not asked for',
    file: 'src/jobs/plan/make-import.ts',
    line: 'if (head) return names',
    to: 'return names',
    tests: NAMED,
  },
  {
    name: 'a row is matched by the first value of a record alone',
    file: 'src/connector/record-map.ts',
    line: 'if (listed.size > 0) sources ??= new WeakMap()',
    to: '',
    tests: SEVERAL,
  },
  {
    name: 'a row replaces the value that it was not matched by',
    file: 'src/jobs/plan/match-rows.ts',
    line: 'const written = Object.entries(row.fields).filter(([name]) => !names.includes(name))',
    to: 'const written = Object.entries(row.fields)',
    tests: SEVERAL,
  },
  {
    name: 'two rows change one record that has both keys',
    file: 'src/jobs/plan/match-rows.ts',
    line: "if (earlier !== undefined) return void refuse('duplicate_key', `matches ${match.id}, as line ${earlier} does`)",
    to: '',
    tests: SEVERAL,
  },
  {
    name: 'the columns that a server sets itself are written',
    file: 'src/jobs/input/columns.ts',
    line: 'if (server?.isReadOnly(name)) return ignoredColumn(name)',
    to: '',
    tests: ['test/connectors/exported.test.ts'],
  },
  {
    name: 'the id of a stage is compared with its name',
    file: 'src/connector/record-map.ts',
    line: 'return isStable ? shown : undefined',
    to: 'return undefined',
    tests: ['test/connectors/stage-ids.test.ts'],
  },
  {
    name: 'the undo of a restore leaves the record',
    file: 'src/jobs/plan/make-undo.ts',
    line: "if (head.restores) return { planned: { do: 'delete', path, id, before: match.record } }",
    to: '',
    tests: ['test/connectors/restored.test.ts'],
  },
  {
    name: 'a record is restored by a change without values',
    file: 'src/api/connectors/resource-exchange.ts',
    line: "const operation = isRestore ? 'restore' : kind",
    to: 'const operation = kind',
    tests: ['test/connectors/restored.test.ts'],
  },
  {
    name: 'an object is sent with its changed members alone',
    file: 'src/connector/record-map.ts',
    line: 'if (!isJsonObject(before) || !isJsonObject(value)) return value',
    to: 'return value',
    tests: ['test/api/connectors/single-records.test.ts'],
  },
]
