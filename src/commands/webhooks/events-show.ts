import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { printOne } from '../print.ts'
import { eventRecord } from './event-record.ts'
import { loggedEvents } from './logged-events.ts'

export function addEventsShow(events: CommandUnknownOpts, act: Act): void {
  const show = events
    .command('show <id>')
    .description('show one kept event, with its headers')
    .addHelpText(
      'after',
      examples('crm webhooks events show evt_0abc -o json', 'crm webhooks events show evt_0abc --jq .body'),
    )
    .action(act(showEvent))
  addScopedFlags(show, ['fields'])
}

/** Shows the last one if an event was received several times. */
async function showEvent(ctx: Context, id: string): Promise<undefined> {
  const event = await findEvent(ctx, id)
  const { url, headers } = event.delivery
  await printOne(ctx, {
    ...eventRecord(event),
    subscription_id: event.subscriptionId ?? null,
    url,
    headers: headers.map((header) => [...header]),
  })
}

export async function findEvent(ctx: Context, id: string): Promise<ReceivedEvent> {
  for await (const events of loggedEvents(ctx, { order: 'newest first', globs: [], since: undefined })) {
    const event = events.find((each) => each.id === id)
    if (event) return event
  }
  throw new CrmError('not_found', `no event ${JSON.stringify(id)} is kept on this machine`, {
    hint: 'crm webhooks events list',
  })
}
