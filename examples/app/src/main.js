import { createClient } from 'crm-cli'
import { welcome } from './welcome.js'

const client = createClient({ baseUrl: process.env.CRM_BASE_URL, apiKey: process.env.CRM_API_KEY })
const { id } = await welcome(client, process.argv[2])
console.log(id)
await client.close()
