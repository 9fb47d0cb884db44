declare module 'csv-spectrum' {
  interface Case {
    readonly name: string
    readonly csv: Buffer
    readonly json: Buffer
  }
  function spectrum(done: (error: Error | null, cases: Case[]) => void): void
  export = spectrum
}
