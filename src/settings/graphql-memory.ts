import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Env } from '../core/streams.ts'
import { readOwnFile } from '../files/private-file.ts'
import { openDocument } from './document-file.ts'
import { settingsFolder } from './settings-folder.ts'

export interface ServerMemory {
  read(): Promise<JsonObject | undefined>
  write(value: JsonObject): Promise<void>
}

/**
 * What was found out about the GraphQL of one server, in `graphql.json` of the settings folder where there is one; none is
 * made for it, and then every process finds it out anew. What cannot be read or written is done without.
 */
export function openGraphqlMemory(env: Env, server: string): ServerMemory {
  const file = openDocument(join(settingsFolder(env), 'graphql.json'), readOwnFile)
  return {
    read: () =>
      unlessInTheWay(async () => {
        const value = (await file.read())[server]
        return isJsonObject(value) ? value : undefined
      }),
    write: async (value) => {
      if (!existsSync(dirname(file.path))) return
      await unlessInTheWay(() => file.update((servers) => ({ ...servers, [server]: value })))
    },
  }
}

async function unlessInTheWay<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    // One more request does less harm than a command that fails over it.
    if (!(error instanceof CrmError)) throw error
    return undefined
  }
}
