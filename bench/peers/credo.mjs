// Credo as a verifier, with records and keys in memory. `POST /sessions` creates a session, and
// `GET /sessions/<id>` returns its status. The wallet's endpoints are those of Credo.
//
// Environment: PEER_ANCHOR, the trusted certificate (base64 of its DER). Prints `{ "origin": … }` when ready.

import { Agent, Kms, X509Module } from '@credo-ts/core'
import { agentDependencies } from '@credo-ts/node'
import { OpenId4VcModule } from '@credo-ts/openid4vc'
import express from 'express'
import { MemoryModule } from './credo-memory.mjs'
import { QUERY } from './query.mjs'

const STATUS = { ResponseVerified: 'verified', Error: 'rejected' }
const DAY_MS = 86_400_000

const app = express()
const server = app.listen(0, '127.0.0.1', start)

async function start() {
  const origin = `http://127.0.0.1:${server.address().port}`
  const agent = new Agent({
    config: { allowInsecureHttpUrls: true, autoUpdateStorageOnStartup: true },
    dependencies: agentDependencies,
    modules: {
      memory: new MemoryModule(),
      x509: new X509Module({ trustedCertificates: [process.env.PEER_ANCHOR] }),
      openid4vc: new OpenId4VcModule({ app, verifier: { baseUrl: `${origin}/oid4vp` } }),
    },
  })
  await agent.initialize()
  const { verifier } = agent.modules.openid4vc
  const { verifierId } = await verifier.createVerifier()
  const requestSigner = {
    method: 'x5c',
    x5c: [await certificateOf(agent)],
    clientIdPrefix: 'x509_hash',
  }

  app.post('/sessions', async (_request, response) => {
    const { verificationSession } = await verifier.createAuthorizationRequest({
      verifierId,
      requestSigner,
      dcql: { query: QUERY },
      responseMode: 'direct_post.jwt',
      version: 'v1',
    })
    const { id, authorizationRequestUri } = verificationSession
    response.status(201).json({ id, request_uri: authorizationRequestUri })
  })
  app.get('/sessions/:id', async (request, response) => {
    const { state } = await verifier.getVerificationSessionById(request.params.id)
    response.json({ status: STATUS[state] ?? 'pending' })
  })
  console.log(JSON.stringify({ origin }))
}

/** A self-signed certificate of the verifier. */
async function certificateOf(agent) {
  const { publicJwk } = await agent.kms.createKey({ type: { kty: 'EC', crv: 'P-256' } })
  return agent.x509.createCertificate({
    authorityKey: Kms.PublicJwk.fromPublicJwk(publicJwk),
    issuer: { commonName: 'Verifier' },
    validity: { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) },
    extensions: { subjectAlternativeName: { name: [{ type: 'dns', value: 'localhost' }] } },
  })
}
