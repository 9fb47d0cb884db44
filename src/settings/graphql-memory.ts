import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { settingsFolder } from '../files/folders.ts'
import { readOwnFile } from '../files/private-file.ts'
import { openDocument } from './document.ts'

export interface ServerMemory {
  read(): Promise<JsonObject | undefined>
  write(value: JsonObject): Promise<void>
}

/**
 * A cache of the GraphQL facts of one server, in `graphql.json` of the settings folder. Without a settings folder nothing
 * is cached. A file that cannot be read or written is ignored.
 */
export function openGraphqlMemory(env: Env, server: string): ServerMemory {
  const file = openDocument(join(settingsFolder(env), 'graphql.json'), readOwnFile)
  return {
    read: () =>
      ignoreFailure(async () => {
        const value = (await file.read())[server]
        return isJsonObject(value) ? value : undefined
      }),
    write: async (value) => {
      if (!existsSync(dirname(file.path))) return
      await ignoreFailure(() => file.update((servers) => ({ ...servers, [server]: value })))
    },
  }
}

async function ignoreFailure<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    // An extra request is better than a failing command.
    if (!(error instanceof CrmError)) throw error
    return undefined
  }
}
