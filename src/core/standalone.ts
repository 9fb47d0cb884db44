/** The files inside a program of one file; `scripts/standalone/program.js` provides them before anything else runs. */
export interface StandaloneFiles {
  readonly names: ReadonlySet<string>
  readonly readText: (name: string) => string
}

/** Undefined where crm runs from a folder. `node:sea` could tell as well, but loads `node:crypto`, 5 ms of every start. */
export function standaloneFiles(): StandaloneFiles | undefined {
  return Reflect.get(globalThis, Symbol.for('crm.standalone'))
}
