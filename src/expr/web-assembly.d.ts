/** The part of WebAssembly (W3C JavaScript interface) that the loader of jq uses and the types of Node lack. */
declare namespace WebAssembly {
  class Module {
    private readonly brand: never
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>
}
