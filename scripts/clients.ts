import { writeFileSync } from 'node:fs'
import { generatedClients } from './clients/generated-clients.ts'

/** `npm run clients`: writes the types and methods of the client libraries from the registry of resources. */
for (const [path, text] of generatedClients()) writeFileSync(new URL(path, new URL('..', import.meta.url)), text)
