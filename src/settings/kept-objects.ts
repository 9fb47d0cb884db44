import { hash } from 'node:crypto'
import { baseUrlText } from '../core/http-rules.ts'
import type { JsonObject } from '../core/json.ts'
import type { DescribedObjects } from '../core/resources/own-objects.ts'
import type { Env } from '../core/streams.ts'
import { readOwnFile } from '../files/private-file.ts'
import { chooseAddress, chooseProfile, type ProfileChoice } from './address.ts'
import { objectIn, openDocument, replaceIn } from './document.ts'
import { objectsFile } from './objects-file.ts'
import type { Settings } from './settings.ts'

/** The objects that the server of a profile had when they were last read. */
export interface KeptObjects {
  readonly server: string
  readonly objects: DescribedObjects
}

/** Those of the chosen profile or address, if they are of its server. CrmError `invalid_input` for a file that is damaged. */
export async function readKeptObjects(
  settings: Settings,
  choice: ProfileChoice,
): Promise<DescribedObjects | undefined> {
  const path = objectsFile(choice.env)
  const chosen = await chooseProfile(settings, choice)
  if (!choice.env.CRM_BASE_URL && !chosen?.profile.baseUrl) return undefined
  const address = baseUrlText(chooseAddress(settings, choice.env, chosen))
  const document = await openDocument(path, readOwnFile).read()
  const entries = [chosen?.name ?? address, address].map((name) => objectIn(document, name, path))
  const found = entries.find(({ server }) => server === address)
  return found && (found.objects as unknown as DescribedObjects)
}

/** Keeps what was read of the server, with its time and digest; without a profile, for its address. */
export async function keepObjects(
  env: Env,
  profile: string | undefined,
  { server, objects }: KeptObjects,
  nowMs: number,
): Promise<void> {
  const text = JSON.stringify(objects)
  const entry: JsonObject = {
    server,
    read_at: new Date(nowMs).toISOString(),
    digest: hash('sha256', text),
    objects: JSON.parse(text),
  }
  await openDocument(objectsFile(env), readOwnFile).update((document) =>
    replaceIn(document, [profile ?? server], entry),
  )
}
