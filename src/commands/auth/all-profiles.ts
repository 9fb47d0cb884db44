import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { lastFourOf } from '../../settings/key-sources.ts'
import { onePage, printList } from '../print.ts'

const COLUMNS = ['profile', 'active', 'base_url', 'protected', 'key', 'last_four']

/** What is kept here, in alphabetical order; no server is asked. */
export async function showAllProfiles(ctx: Context): Promise<undefined> {
  if (ctx.flags.profile !== undefined) {
    throw new CrmError('usage', `--all and -p ${ctx.flags.profile} contradict each other`, { hint: 'give one of them' })
  }
  const settings = await ctx.settings()
  const active = ctx.env.CRM_PROFILE || (await settings.active())
  const rows = []
  for (const [name, { baseUrl, isProtected, keyCommand }] of await settings.profiles()) {
    const stored = await settings.storedKey(name)
    const kept = (await settings.keyringEntry(name)) ? 'keyring' : stored && 'file'
    rows.push({
      profile: name,
      active: name === active,
      base_url: baseUrl ?? null,
      protected: isProtected,
      key: keyCommand === undefined ? (kept ?? null) : 'key_command',
      // Of a key in a file alone: no command runs for a list, and no keyring is asked.
      last_four: (stored && lastFourOf(stored.key)) ?? null,
    })
  }
  await printList(ctx, { pages: onePage(rows), columns: COLUMNS, plural: 'profiles' })
}
