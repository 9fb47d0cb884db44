// undici publishes types for its index alone, which costs three times the start-up of the modules below.

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  // biome-ignore lint/style/noDefaultExport: a CommonJS module has nothing else
  export default Pool
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  // biome-ignore lint/style/noDefaultExport: a CommonJS module has nothing else
  export default buildConnector
}
