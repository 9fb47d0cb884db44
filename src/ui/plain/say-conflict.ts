import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText, safeText } from '../../output/safe-text.ts'
import type { ServerList } from '../screens.ts'
import { recordName } from '../text/change-text.ts'
import type { Plain } from './plain.ts'

export interface EditConflict {
  readonly list: ServerList
  readonly row: CrmRecord
  readonly patch: JsonObject
}

/** Says the values of others beside the ones that were not saved. */
export async function sayConflict(
  { background, say }: Pick<Plain, 'background' | 'say'>,
  { list, row, patch }: EditConflict,
): Promise<void> {
  say(`Not saved: ${recordName(row)} was changed by others since it was read.`)
  const theirs = await background.kept.recordOf({ list, before: row, texts: {}, problem: null })
  if (!theirs) return say('It was deleted.')
  for (const [member, value] of Object.entries(patch)) {
    const texts = [theirs[member], value, row[member]].map((each) => cellText(each) || 'empty')
    say(safeText(`${member}: theirs ${texts[0]}, yours ${texts[1]}, before ${texts[2]}`))
  }
  say('r requests the list again; the same edit then replaces theirs.')
}
