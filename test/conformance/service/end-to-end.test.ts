// One whole verification: relying party, wallet, issuer and receiver are all foreign to the service.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authority, ageOf, makeAuthority, makePerson, type Person } from '../../support/people/person.ts'
import { checkSignature, type Receiver, startReceiver } from '../../support/service/receiver.ts'
import {
  OVER_18,
  openService,
  type RelyingParty,
  readQr,
  SERVICE_VARIABLES,
  type Service,
} from '../../support/service/service.ts'
import { sharedServer } from '../../support/service/shared-services.ts'

describe('one verification, end to end', () => {
  let service: Service
  let receiver: Receiver
  let authority: Authority
  let person: Person
  let rp: RelyingParty
  beforeAll(async () => {
    service = openService(await sharedServer(SERVICE_VARIABLES))
    receiver = await startReceiver()
    authority = await makeAuthority()
    person = await makePerson(authority)
    rp = await service.relyingParty({ webhook: { url: receiver.url }, trust_anchors: [authority.anchor()] })
  })
  afterAll(() => receiver?.close())

  it('leads from the QR picture to a verified session and a signed webhook', async () => {
    const metadata = { user_id: 'u-1', context: 'checkout' }
    const session = await rp.create({ ...OVER_18, required_assurance_level: 'substantial', metadata })
    const request = await service.wallet.receive(readQr(session.qr_code))
    const answer = await service.wallet.present(request, await ageOf(person, request))
    expect([answer.status, await answer.json()]).toEqual([200, { redirect_uri: expect.any(String) }])

    const poll = await rp.poll(session.verification_id)
    expect(poll).toMatchObject({
      status: 'verified',
      checks: { age_over_18: true },
      assurance_level: 'substantial',
      reason: null,
      attempts: [],
    })
    const [webhook] = await receiver.received(1)
    const event = JSON.parse(webhook!.body.toString())
    expect(event).toMatchObject({ verification_id: session.verification_id, status: 'verified', metadata })
    expect(checkSignature(webhook!, rp.webhook_secret)).toEqual({
      standardwebhooks: { accepted: event },
      svix: { accepted: event },
    })
  })
})
