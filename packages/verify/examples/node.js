// An age check with Node's `http`: `node node.js`.

import { createServer } from 'node:http'
import { createRequest, verifyResponse } from '@wallet-verifier/verify'

const { ORIGIN, VERIFIER = '{}', ANCHORS = '[]', PORT = '3000' } = process.env
const [verifier, anchors] = [JSON.parse(VERIFIER), JSON.parse(ANCHORS)]
const policy = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const checks = new Map() // in production: storage that all instances share

createServer(async (req, res) => {
  const send = (status, body, type = 'application/json') =>
    res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  const [, path, given] = req.url.split('/')
  if (path === 'start') {
    const id = crypto.randomUUID()
    const [responseUri, requestUri] = [`${ORIGIN}/responses/${id}`, `${ORIGIN}/requests/${id}`]
    checks.set(id, await createRequest({ policy, verifier, responseUri, requestUri }))
    return send(200, JSON.stringify({ id, uri: checks.get(id).uri }))
  }
  const check = checks.get(given)
  if (check === undefined) return send(404)
  if (path === 'requests') return send(200, check.requestObject, 'application/oauth-authz-req+jwt')
  if (path === 'results') return send(200, JSON.stringify(check.result ?? { status: 'pending' }))
  let response = ''
  for await (const chunk of req) {
    response += chunk
    if (response.length > 2_000_000) return send(413)
  }
  const result = await verifyResponse({ request: check.request, response, anchors })
  if (result.status === 'refused') return send(400, JSON.stringify({ error: 'invalid_request' }))
  check.result ??= result // the first result counts
  send(200, '{}')
}).listen(Number(PORT), '127.0.0.1', function () {
  console.log(`Listening on port ${this.address().port}`)
})
