import { EVENT_KINDS, isEventPattern } from '../../core/event-kinds.ts'
import { literalAddress, refusedTarget, type TargetRule } from '../delivery/target-rules.ts'
import type { JsonNode, Members } from '../json-text.ts'
import { shownText } from '../shown.ts'
import type { WebhookColumns } from '../store/store.ts'
import {
  filledText,
  notSent,
  READ_ONLY_RULES,
  type Rule,
  type Rules,
  requireRules,
  textOf,
  textOrNull,
  wrongType,
} from './rules.ts'

const checkAddress: Rule['check'] = (value) => {
  const fault = filledText.check(value)
  if (fault) return fault
  const url = URL.parse(textOf(value) ?? '')
  if (url?.username || url?.password) {
    return { code: 'invalid_url', detail: 'the address must not contain a user or a password' }
  }
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { code: 'invalid_url', detail: `expected an http or https address, got ${shownText(textOf(value) ?? '')}` }
  }
  return undefined
}

/** Checks an IP address. Host names are checked at each delivery, as they may resolve differently then. */
function checkTarget(value: JsonNode | undefined, isTarget: TargetRule): ReturnType<Rule['check']> {
  const fault = checkAddress(value)
  if (fault) return fault
  const address = literalAddress(new URL(textOf(value) ?? ''))
  if (address === undefined || isTarget(address)) return undefined
  return { code: 'not_deliverable', detail: refusedTarget(address).message }
}

const checkEvents: Rule['check'] = (value) => {
  const expected = `expected a list of event kinds: ${EVENT_KINDS.join(', ')}, or patterns such as contact.* and *`
  if (value === undefined) return { code: 'required', detail: `required, ${expected}` }
  const patterns = listOf(value)
  if (!patterns?.every((pattern) => typeof pattern === 'string')) return wrongType(expected, value)
  if (patterns.length === 0) return { code: 'empty', detail: expected }
  const unknown = patterns.find((pattern) => !isEventPattern(pattern))
  if (unknown === undefined) return undefined
  return { code: 'not_allowed', detail: `${shownText(unknown)} matches no event; ${expected}` }
}

const PATTERNS = [...new Set(EVENT_KINDS.map((kind) => `${kind.split('.')[0]}.*`)), '*']

const addressRule: Rule = {
  check: checkAddress,
  schema: { type: 'string', format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?:' },
  isRequired: true,
}

const eventsRule: Rule = {
  check: checkEvents,
  schema: { type: 'array', minItems: 1, items: { type: 'string', enum: [...EVENT_KINDS, ...PATTERNS] } },
  isRequired: true,
}

export const WEBHOOK_RULES: Rules = {
  ...READ_ONLY_RULES,
  status: notSent,
  disabled_reason: notSent,
  secret: notSent,
  url: addressRule,
  events: eventsRule,
  description: textOrNull,
}

export function readWebhook(sent: Members, isTarget: TargetRule): Omit<WebhookColumns, 'secret'> {
  requireRules(sent, { ...WEBHOOK_RULES, url: { ...addressRule, check: (value) => checkTarget(value, isTarget) } })
  return { url: textOf(sent.get('url')) ?? '', events: listOf(sent.get('events') ?? '[]') as string[] }
}

function listOf(value: JsonNode): unknown[] | undefined {
  return typeof value === 'string' && value.startsWith('[') ? (JSON.parse(value) as unknown[]) : undefined
}
