import { CrmError } from '../../core/errors.ts'
import type { ForwardResult, ReceivedEvent } from '../../core/webhook-events.ts'
import { commandLine } from '../command-line.ts'
import { certificateHint } from './target-flags.ts'

/** The number of ids in a message. */
const NAMED_IDS = 3

/** The number of ids in a command to type. */
const TYPED_IDS = 50

interface ReplayCommand {
  readonly argv: readonly string[]
  /** The typed ids, or `-`; empty for a selection by flags. */
  readonly words: readonly string[]
  /** Edited events have new ids, and are not in the log. */
  readonly isEdited: boolean
}

/** Counts events that targets did not accept, and events that were not sent. */
export function createReplayFailures(command: ReplayCommand) {
  const counts = { events: 0, unanswered: 0, attempts: 0, skipped: 0 }
  const skippedIds: string[] = []
  const refused = new Map<string, ForwardResult>()
  let unsignable: CrmError | undefined

  function notAccepted(first: ForwardResult, count: number): string {
    const ids = [...refused.keys()]
    const what =
      ids.length === 1
        ? `${ids[0]} was not accepted`
        : `${ids.length} of ${count} were not accepted (${someOf(ids, ids.length)})`
    return `${what}: ${first.target}: ${first.failure}`
  }

  function unsent(count: number, { message }: CrmError): string {
    const { skipped } = counts
    if (skipped === 1) return count === 1 ? message : `${message}; the others were sent`
    return `${skipped} of ${count} were not sent (${someOf(skippedIds, skipped)}): ${message}`
  }

  function leftOut(count: number, why: CrmError): CrmError {
    const [first] = refused.values()
    const what = [unsent(count, why), ...(first ? [notAccepted(first, count)] : [])].join('; ')
    return new CrmError(counts.skipped === count ? 'usage' : 'partial', what, { hint: why.details.hint })
  }

  return {
    count(result: ForwardResult): void {
      counts.attempts++
      if (result.failure === undefined) return
      if (result.status === undefined) counts.unanswered++
      const id = result.id ?? 'an event without an id'
      if (!refused.has(id)) refused.set(id, result)
    },
    skip({ id }: ReceivedEvent, why: CrmError): void {
      counts.skipped++
      if (skippedIds.length < NAMED_IDS) skippedIds.push(id ?? 'one without an id')
      unsignable ??= why
    },
    /**
     * Throws unless all of `count` were accepted: CrmError `usage` if nothing could be sent, `unreachable` if no target
     * answered, else `partial`.
     */
    refuse(count: number): void {
      if (unsignable) throw leftOut(count, unsignable)
      const [first] = refused.values()
      if (!first) return
      const { attempts, unanswered } = counts
      throw new CrmError(unanswered === attempts ? 'unreachable' : 'partial', notAccepted(first, count), {
        hint: certificateHint(first) ?? `when the app is fixed: ${againText(command, [...refused.keys()])}`,
      })
    },
  }
}

function someOf(ids: readonly string[], count: number): string {
  return `${ids.slice(0, NAMED_IDS).join(', ')}${count > NAMED_IDS ? ', …' : ''}`
}

/** The command that sends those again which were refused, and no others. */
function againText({ argv, words, isEdited }: ReplayCommand, refused: readonly string[]): string {
  if (isEdited) return commandLine(argv)
  if (words.length === 0) return commandLine(argv.includes('--failed') ? argv : [...argv, '--failed'])
  if (refused.length > TYPED_IDS) return 'crm webhooks events list --failed shows which'
  const flags = argv.filter((word) => !words.includes(word))
  const at = flags.indexOf('replay') + 1
  return commandLine([...flags.slice(0, at), ...refused, ...flags.slice(at)])
}
