// An age check with `Request` and `Response`, for servers that limit bodies. For its options see the README.

import { createRequest, verifyResponse } from '@wallet-verifier/verify'

const policy = { credential_types: ['age_attestation'], scope: ['age_over_18'] }
const checks = new Map() // in production: storage that all instances share

export const ageCheck =
  ({ origin, verifier, anchors }) =>
  async (request) => {
    const [, path, given] = new URL(request.url).pathname.split('/')
    if (path === 'start') {
      const id = crypto.randomUUID()
      const [responseUri, requestUri] = [`${origin}/responses/${id}`, `${origin}/requests/${id}`]
      checks.set(id, await createRequest({ policy, verifier, responseUri, requestUri }))
      return Response.json({ id, uri: checks.get(id).uri })
    }
    const check = checks.get(given)
    if (check === undefined) return new Response(null, { status: 404 })
    const headers = { 'content-type': 'application/oauth-authz-req+jwt', 'cache-control': 'no-store' }
    if (path === 'requests') return new Response(check.requestObject, { headers })
    if (path === 'results') return Response.json(check.result ?? { status: 'pending' })
    const result = await verifyResponse({ request: check.request, response: await request.text(), anchors })
    if (result.status === 'refused') return Response.json({ error: 'invalid_request' }, { status: 400 })
    check.result ??= result // the first result counts
    return Response.json({})
  }
