import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILED_IN, MISSING_TEXTS } from './licence-texts.ts'

interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly text: string
}

/** `dist/THIRD-PARTY-NOTICES.txt`: every package with code in the bundle, and the text that its licence requires. */
export function noticesOf(modules: readonly string[], root: string): string {
  const packages = [...bundledFolders(modules)].map((folder) => readPackage(join(root, folder)))
  const names = (each: BundledPackage) => `${each.name} ${each.version}`
  const distinct = [...new Map(packages.map((each) => [names(each), each])).values()]
  const sorted = distinct.toSorted((one, other) => (names(one) < names(other) ? -1 : 1))
  const list = sorted.map((each) => `  ${names(each)}  ${each.licence}`)
  const texts = sorted.map((each) => `${'-'.repeat(78)}\n${names(each)} (${each.licence})\n\n${each.text}\n`)
  return `crm-cli holds code of these packages, changed by the build, which joins their files, under licences of their own:\n\n${list.join('\n')}\n\n${texts.join('\n')}`
}

/** Folders such as `node_modules/ink/node_modules/chalk`, of the paths of modules. */
export function bundledFolders(modules: readonly string[]): ReadonlySet<string> {
  return new Set(modules.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const own = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const text = own.length > 0 ? own : [MISSING_TEXTS[name]]
  if (typeof license !== 'string' || text[0] === undefined)
    throw new Error(`no licence, or no text of it, in ${folder}`)
  return { name, version, licence: license, text: [...text, ...(COMPILED_IN[name] ?? [])].join('\n\n') }
}
