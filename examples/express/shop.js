// A shop that sells wine to people over 18. See README.md.

import { randomUUID } from 'node:crypto'
import { createClient } from '@wallet-verifier/client'
import { verifyWebhook } from '@wallet-verifier/client/webhook'
import express from 'express'

const PORT = Number(process.env.PORT ?? 3000)
const SHOP_URL = process.env.SHOP_URL ?? `http://localhost:${PORT}`
const WEBHOOK_SECRET = required('WEBHOOK_SECRET')
const verifier = createClient({ baseUrl: required('VERIFIER_URL'), token: required('VERIFIER_API_KEY') })

/** Order id → order. The id is also the visitor's login: a real shop has a database and sessions. */
const orders = new Map()
/** Ids of events that were processed: the same event may arrive twice. */
const seenEvents = new Set()

const app = express()
app.disable('x-powered-by')

app.get('/', (_, response) => response.send(page('<p>A bottle of wine, € 12.50.</p>', true)))

// 1. Ask. The person continues on the verifier's page.
app.post('/orders', async (_, response) => {
  const orderId = randomUUID()
  const created = await verifier.create(
    {
      credential_types: ['age_attestation'],
      scope: ['age_over_18'],
      purpose: 'We sell wine to adults only.',
      required_session_binding: 'relying_party',
      return_url: `${SHOP_URL}/return`,
      metadata: { order: orderId },
    },
    { idempotencyKey: orderId },
  )
  if (!created.ok) return response.status(502).send(page(`<p>${created.error.title}</p>`, true))
  const { verification_id: verificationId, session_url } = created.value
  orders.set(orderId, { verificationId, status: 'pending', isAdult: false, eventId: null })
  response.cookie('order', orderId, { httpOnly: true, sameSite: 'lax', secure: SHOP_URL.startsWith('https') })
  response.redirect(303, session_url)
})

// 2. The browser returns. The code shows that it is the browser that has this order.
app.get('/return', async (request, response) => {
  const order = orderOf(request)
  if (order === undefined) return response.redirect(303, '/')
  const { return_code: code } = request.query
  // A person who declined or was rejected returns without a code.
  const result =
    typeof code === 'string'
      ? await verifier.redeem(order.verificationId, code)
      : await verifier.get(order.verificationId)
  if (result.ok) record(order, result.value)
  response.redirect(303, '/order')
})

// 3. The webhook. It arrives even if the browser never returns.
app.post('/webhook', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  // Checks the signature over the raw bytes, and that it is at most five minutes old.
  const signature = request.get('X-Service-Signature') ?? null
  const event = await verifyWebhook(request.body.toString(), signature, { secrets: [WEBHOOK_SECRET] })
  if (!event.ok) return response.status(400).send(event.error)
  const { event_id, verification_id } = event.value
  if (!seenEvents.has(event_id)) {
    seenEvents.add(event_id)
    const order = [...orders.values()].find(({ verificationId }) => verificationId === verification_id)
    if (order !== undefined) record(order, event.value, event_id)
  }
  response.sendStatus(204)
})

app.get('/order', (request, response) => {
  const order = orderOf(request)
  if (order === undefined) return response.redirect(303, '/')
  response.send(page(outcome(order), order.status !== 'pending' && !order.isAdult))
})

app.listen(PORT, '127.0.0.1', () => console.log(`The shop is open: ${SHOP_URL}`))

/** Stores a final result, of a poll, a redeemed code or an event. */
function record(order, { status, checks, session_binding }, eventId = order.eventId) {
  order.eventId = eventId
  if (status === 'pending' || order.status !== 'pending') return
  order.status = status
  // `relying_party`: this server redeemed the code in the browser of this order.
  order.isAdult = status === 'verified' && session_binding === 'relying_party' && checks?.age_over_18 === true
}

function outcome({ status, isAdult, eventId }) {
  const text = {
    pending: 'We are waiting for your wallet.',
    verified: isAdult ? 'You are over 18. The wine is yours.' : 'We could not confirm your age.',
    declined: 'You declined. We learned nothing about you.',
    expired: 'That took too long.',
  }[status]
  const webhook = eventId === null ? 'not yet received' : `received, ${eventId}`
  return `<p>${text ?? 'We could not confirm your age.'}</p><p>Webhook: ${webhook}</p>`
}

function page(content, mayOrder) {
  const form = mayOrder ? '<form method="post" action="/orders"><button>Buy wine</button></form>' : ''
  const reload = mayOrder ? '' : '<meta http-equiv="refresh" content="3">'
  return `<!doctype html><html lang="en"><meta charset="utf-8">${reload}<title>Wine shop</title>${content}${form}</html>`
}

function orderOf(request) {
  const [, orderId] = /(?:^|; )order=([0-9a-f-]{36})(?:;|$)/.exec(request.get('Cookie') ?? '') ?? []
  return orders.get(orderId)
}

function required(name) {
  const value = process.env[name]
  if (value) return value
  console.error(`Set ${name}: see README.md.`)
  process.exit(1)
}
