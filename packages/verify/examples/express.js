// An age check with Express 5: `node express.js`.

import { createRequest, verifyResponse } from '@wallet-verifier/verify'
import express from 'express'

const { ORIGIN, VERIFIER = '{}', ANCHORS = '[]', PORT = '3000' } = process.env
const [verifier, anchors] = [JSON.parse(VERIFIER), JSON.parse(ANCHORS)]
const policy = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const checks = new Map() // in production: storage that all instances share
const app = express()

app.get('/start', async (_, res) => {
  const id = crypto.randomUUID()
  const [responseUri, requestUri] = [`${ORIGIN}/responses/${id}`, `${ORIGIN}/requests/${id}`]
  checks.set(id, await createRequest({ policy, verifier, responseUri, requestUri }))
  res.json({ id, uri: checks.get(id).uri })
})

app.param('id', (req, res, next, id) => {
  req.check = checks.get(id)
  return req.check === undefined ? res.sendStatus(404) : next()
})
app.get('/requests/:id', ({ check }, res) => {
  res.set({ 'content-type': 'application/oauth-authz-req+jwt', 'cache-control': 'no-store' })
  res.end(check.requestObject)
})
app.get('/results/:id', ({ check }, res) => res.json(check.result ?? { status: 'pending' }))
app.post('/responses/:id', express.text({ type: () => true, limit: '2mb' }), async (req, res) => {
  const { check, body: response = '' } = req
  const result = await verifyResponse({ request: check.request, response, anchors })
  if (result.status === 'refused') return res.status(400).json({ error: 'invalid_request' })
  check.result ??= result // the first result counts
  res.json({})
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on port ${server.address().port}`)
})
