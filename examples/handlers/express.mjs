// A handler of webhooks: Express, and the verification of the Node library.
import { SignatureError, verifyWebhook } from 'crm-cli/webhooks'
import express from 'express'

const { WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const app = express()

// The signature is of the bytes as received, so that no parser of JSON may come before.
app.post('/', express.raw({ type: '*/*' }), async (request, response) => {
  const { type, data } = await verifyWebhook(request.body, request.headers, WEBHOOK_SECRET)
  // A mistake for docs/developers.md to find: a deal may have no amount.
  if (type === 'deal.created') console.log(`${data.name}: ${data.amount.toFixed(2)}`)
  response.sendStatus(204)
})

app.use((error, _request, response, _next) => {
  response.status(error instanceof SignatureError ? 401 : 500).send(error.message)
})

app.listen(Number(PORT), '127.0.0.1', () => console.log(`ready on port ${PORT}`))
