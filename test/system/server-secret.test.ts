// docs/runbooks/server-secret.md: the effects of a lost SERVER_SECRET, and the repair.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ageOf, makeAuthority, makePerson, type Person } from '../support/people/person.ts'
import type { ReceivedRequest } from '../support/people/wallet.ts'
import {
  BASE_URL,
  OVER_18,
  type OwnService,
  type RelyingParty,
  startService,
} from '../support/service/service.ts'

let service: OwnService
let person: Person
let plain: RelyingParty
let notified: RelyingParty
let pending: { readonly id: string; readonly request: ReceivedRequest; readonly requestUri: string }
let canceled: string

beforeAll(async () => {
  service = await startService()
  const authority = await makeAuthority()
  person = await makePerson(authority)
  const trust_anchors = [authority.anchor()]
  plain = await service.relyingParty({ trust_anchors })
  notified = await service.relyingParty({ trust_anchors, webhook: { url: 'http://127.0.0.1:9/' } })
  const session = await plain.create()
  const { uri, request_uri: requestUri } = session.wallet_request
  pending = { id: session.verification_id, requestUri, request: await service.wallet.receive(uri) }
  canceled = (await plain.create()).verification_id
  await plain.call('POST', `/v1/verify/${canceled}/cancel`)
  await service.server.restart({ SERVER_SECRET: randomBytes(32).toString('base64url') })
})
afterAll(() => service?.stop())

it('with a new SERVER_SECRET, a pending session rejects fetches and responses, and is never verified', async () => {
  const fetched = await fetch(pending.requestUri.replace(BASE_URL, service.server.origin))
  expect([fetched.status, await fetched.json()]).toEqual([
    500,
    expect.objectContaining({ error: 'server_error' }),
  ])
  // The linter of responses to wallets refuses a 500.
  await expect(
    service.wallet.present(pending.request, await ageOf(person, pending.request)),
  ).rejects.toThrow()
  expect(await plain.poll(pending.id)).toMatchObject({ status: 'pending', attempts: [] })
})

it('with a new SERVER_SECRET, API keys, results and receipts keep working', async () => {
  expect((await plain.poll(canceled)).status).toBe('canceled')
  expect((await plain.call('GET', `/v1/verify/${canceled}/receipt`)).status).toBe(200)
  expect((await plain.create()).status).toBe('pending')
})

it('with a new SERVER_SECRET, a relying party with a webhook works only after three rotations of the webhook secret', async () => {
  const create = async () => (await notified.call('POST', '/v1/verify', { body: OVER_18 })).status
  for (let rotated = 0; rotated < 3; rotated++) {
    expect(await create()).toBe(503)
    const rotation = await service.admin('POST', `/${notified.relying_party_id}/webhook/rotate_secret`)
    expect(rotation.status).toBe(200)
  }
  expect(await create()).toBe(201)
})
