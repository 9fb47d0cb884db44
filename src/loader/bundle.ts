import type { Script } from 'node:vm'

/** What compiled code depends on, as `process` names it. */
export interface Runtime {
  readonly version: string
  readonly platform: string
  readonly arch: string
}

/**
 * Chunks that are loaded together are joined in a file: those of a Tab, those of every command, and those of commands with single
 * requests. A process loads one of these files; chunks that are not in it are read one by one.
 */
export const JOINED = { tab: 'tab.js', program: 'program.js', requests: 'requests.js' } as const

/** Their files would only be larger. */
const WITHOUT_REQUESTS: ReadonlySet<string> = new Set(['completion', 'config', 'help', 'schema'])

/** The joined file for a command line. */
export function joinedFor([, , word = '']: readonly string[]): string {
  if (word === '__complete') return JOINED.tab
  return WITHOUT_REQUESTS.has(word) ? JOINED.program : JOINED.requests
}

/** The files of the build: of a folder, or inside a standalone program. Names are such as `chunks/client-X.js`. */
export interface Bundle {
  /** The folder that the files give as their own. */
  readonly folder: string
  /** Whether the build has compiled code of this runtime. A package has none: no two builds compile the same bytes. */
  readonly isCompiled: boolean
  /** Whether the build has a text of help with this name, such as `crm.contacts.list`. */
  readonly hasText: (name: string) => boolean
  /** ASCII, of which each character is one byte. */
  readonly readCode: (name: string) => string
  /** What V8 made of a file earlier, undefined if it was not compiled, or by another runtime. */
  readonly readCompiled: (name: string) => Uint8Array | undefined
  /** A module of Node, or a package. */
  readonly loadModule: (id: string) => unknown
}

/** What others need to know of the files that a command loads. */
export interface Watch {
  readonly onCompiled?: (name: string, script: Script) => void
  /** The path in messages of V8, and in compiled code. */
  readonly pathOf?: (name: string) => string
}

/** Where compiled code of a runtime is kept in a folder. V8 checks its own version and its flags, but not the processor. */
export function compiledFolder(folder: string, { version, platform, arch }: Runtime): string {
  return `${folder}/compiled-${version}-${platform}-${arch}`
}
