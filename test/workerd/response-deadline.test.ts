// api/outcome: the look-ups of one evaluation have one deadline together, before expiry stops waiting.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, expect, it, vi } from 'vitest'
import { createSession, fetchRequest, poll, post, type Setting, setUp, stubOf } from '../session/driver.ts'
import { issueSdJwtVc, presentSdJwtVc } from '../support/people/issuer.ts'

const ISSUER = 'https://issuer.example.org'
/** Shorter than the time limit of one look-up, 5 s. Three of them are longer than the limit of all: 10 s. */
const SLOW_MS = 4_000

afterEach(() => {
  vi.restoreAllMocks()
})

it('the evaluation of a response ends before its deadline, however many servers are slow', async () => {
  const anchor = { name: 'Slow', credential_types: ['age_attestation'], assurance_level: 'substantial' }
  const setting = await setUp({ trust_anchors: [{ ...anchor, issuer_url: ISSUER }] })
  const { verification_id: id, wallet_request } = await createSession(setting)
  const answer = await slowAnswer(setting, wallet_request.request_uri)
  const { fetched, answered } = slowServers(setting)
  await expireAt(id, Date.now() + 5_000)
  const response = await post(id, answer)
  expect(fetched).toHaveBeenCalledTimes(3)
  expect(answered).toEqual(fetched.mock.calls.slice(0, 2).map(([url]) => String(url)))
  expect(response.status).toBe(503)
  expect(await poll(setting, id)).toMatchObject({
    status: 'expired',
    attempts: [{ reason: { code: 'status_unavailable' } }],
  })
})

/** Slow servers: issuer metadata, its keys and its status list. `answered`: those that have responded. */
function slowServers({ issuer }: Setting) {
  const documents: Readonly<Record<string, object>> = {
    [`${ISSUER}/.well-known/jwt-vc-issuer`]: { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` },
    [`${ISSUER}/jwks`]: { keys: [issuer.publicJwk] },
  }
  const answered: string[] = []
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    answered.push(String(url))
    return Response.json(documents[String(url)] ?? {})
  })
  return { fetched, answered }
}

/** Returns a good response with a credential that names a status list. */
async function slowAnswer({ issuer, holder }: Setting, requestUri: string) {
  const { nonce, state, client_id } = await fetchRequest(requestUri)
  const iat = Math.floor(Date.now() / 1000)
  const status = { status_list: { idx: 1, uri: `${ISSUER}/status/1` } }
  const credential = await issueSdJwtVc({
    issuer,
    holder,
    claims: { iss: ISSUER, vct: 'urn:eu.europa.ec.av:1', iat, status, age_over_18: true },
    disclosable: { _sd: ['age_over_18'] },
  })
  const presented = await presentSdJwtVc(credential, { holder, nonce, audience: client_id, iat })
  return { vp_token: JSON.stringify({ age_attestation: [presented] }), state }
}

async function expireAt(id: string, expires_at: number): Promise<void> {
  await runInDurableObject(stubOf(id), (_, state) => {
    state.storage.kv.put('session', { ...state.storage.kv.get<object>('session'), expires_at })
  })
  await evictDurableObject(stubOf(id))
}
