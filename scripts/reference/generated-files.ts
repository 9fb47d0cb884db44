import { schemaFiles } from './schema-files.ts'

/** Nothing else is in them. */
export const GENERATED_FOLDERS = ['schemas/'] as const

/** Path to text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([...schemaFiles()])
}
