import type { Sabotage } from './sabotage.ts'

const CHECKED = ['test/commands/connectors/proven.test.ts']

export const PROVEN: readonly Sabotage[] = [
  {
    name: 'a job sends verbs of a drafted connector that were never proven',
    file: 'src/settings/proven.ts',
    line: 'if (missing.length === 0) return',
    to: 'if (missing.length >= 0) return',
    tests: CHECKED,
  },
  {
    name: 'what was proven of another text of the connector counts',
    file: 'src/settings/proven.ts',
    line: 'return server === marks.server && connector === marks.connector',
    to: 'return server === marks.server',
    tests: CHECKED,
  },
  {
    name: 'what a later check found wrong stays proven',
    file: 'src/settings/proven.ts',
    line: 'const kept = known.filter(([name]) => !tried.has(name))',
    to: 'const kept = known',
    tests: CHECKED,
  },
  {
    name: 'a value that the server did not keep is proven',
    file: 'src/commands/connectors/check-writes.ts',
    line: "if (other.length === 0) return { state: 'ok', seen: `${id} has ${names.join(', ')} as sent` }",
    to: "return { state: 'ok', seen: `${id} has ${names.join(', ')} as sent` }",
    tests: CHECKED,
  },
  {
    name: 'a list without the created record proves the create',
    file: 'src/commands/connectors/check-writes.ts',
    line: 'for (const each of now ? [id, ...before] : []) {',
    to: 'for (const each of now ? [...before] : []) {',
    tests: CHECKED,
  },
  {
    name: 'a list that lost a record when one was created proves the create',
    file: 'src/commands/connectors/check-writes.ts',
    line: 'for (const each of now ? [id, ...before] : []) {',
    to: 'for (const each of now ? [id] : []) {',
    tests: CHECKED,
  },
  {
    name: 'a check that is interrupted leaves its record',
    file: 'src/commands/connectors/check-writes.ts',
    line: 'const removing = await ctx.api(undefined, AbortSignal.timeout(REMOVAL_MS))',
    to: 'const removing = api',
    tests: CHECKED,
  },
  {
    name: 'a create in doubt leaves its record, for the answer has no id',
    file: 'src/commands/connectors/check-writes.ts',
    line: 'if (failure && !isRefusal(failure)) {',
    to: 'if (failure && isRefusal(failure)) {',
    tests: CHECKED,
  },
  {
    name: 'a check takes a record that a look-up found for one that the answer shows',
    file: 'src/commands/connectors/check-writes.ts',
    line: 'const record = await trial.of(api).create(trial.sent, { idempotencyKey, isLookedFor: false })',
    to: 'const record = await trial.of(api).create(trial.sent, { idempotencyKey })',
    tests: CHECKED,
  },
  {
    name: 'a key that makes two records is proven',
    file: 'src/commands/connectors/check-writes.ts',
    line: "if (made.size > 1) return checkFailed(`one key made ${made.size} records: ${[...made].join(', ')}`)",
    to: '',
    tests: CHECKED,
  },
  {
    name: 'the keys of a drafted connector are believed unproven',
    file: 'src/api/server-terms.ts',
    line: "idempotency: keys ? ((keys.kept ?? drafted) ? undefined : 'kept') : 'none',",
    to: "idempotency: keys ? (keys.kept ? undefined : 'kept') : 'none',",
    tests: CHECKED,
  },
  {
    name: 'a question is enough to write to a protected server',
    file: 'src/commands/connectors/check.ts',
    line: 'if (isProtected) {',
    to: 'if (isProtected && !canAsk(ctx)) {',
    tests: CHECKED,
  },
  {
    name: 'a missing request is taken for a missing record',
    file: 'src/api/transport/attempt.ts',
    line: 'if (status !== 404 || isCoded || call.isAnyTypeTaken) return failure',
    to: 'if (status !== undefined) return failure',
    tests: ['test/commands/missing-route.test.ts'],
  },
  {
    name: 'crm api takes for a success what the connector calls none',
    file: 'src/api/raw.ts',
    line: 'return { reply: replyOf(answer), error: why === undefined ? undefined : refused(method, path, { answer, why }) }',
    to: 'return { reply: replyOf(answer), error: undefined }',
    tests: ['test/commands/api-by-connector.test.ts'],
  },
]
