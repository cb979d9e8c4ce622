// ISO/IEC TS 18013-7 Annex B over HTTP: mdocs of a foreign library in the drafts. Their session transcript
// has a nonce of the wallet.

import { CompactEncrypt, importJWK } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import {
  type MdocPerson,
  type MdocTelling,
  makeMdocPerson,
  mdocAgeOf,
} from '../../support/people/mdoc-person.ts'
import { responseOf } from '../../support/people/wallet.ts'
import { expectStatus, OVER_18, type RelyingParty } from '../../support/service/service.ts'
import { type Begun, begin, relyingPartyOf, useStage } from '../../support/service/stage.ts'

const stage = useStage()
const DRAFTS = ['openid4vp-draft24', 'openid4vp-draft18']

async function reasonOf({ session }: Begun): Promise<readonly unknown[]> {
  const { status, attempts } = await mdocRp.poll(session.verification_id)
  return [status, attempts.at(-1)?.reason.code]
}

let mdocPerson: MdocPerson
let mdocRp: RelyingParty
beforeAll(async () => {
  mdocPerson = await makeMdocPerson()
  mdocRp = await relyingPartyOf(stage, { trust_anchors: [mdocPerson.anchor()] })
})

async function respondWithMdoc(protocol: string, telling: MdocTelling = {}) {
  const begun = await begin(stage, { ...OVER_18, protocol }, { rp: mdocRp })
  const presentations = await mdocAgeOf(mdocPerson, begun.request, telling)
  return { begun, answer: await stage.service.wallet.present(begun.request, presentations) }
}

it.each(DRAFTS)(
  'api/protocols: the service verifies an mdoc of a foreign library in %s',
  async (protocol) => {
    const { begun, answer } = await respondWithMdoc(protocol)
    await expectStatus(answer, 200)
    const poll = await mdocRp.poll(begun.session.verification_id)
    expect([poll.status, poll.format]).toEqual(['verified', 'mso_mdoc'])
  },
)

it.each([
  ['nonce of the wallet', { mdocNonce: 'another nonce' }],
  ['nonce', { answering: { nonce: '0123456789abcdef0123456789abcdef' } }],
  ['client_id', { answering: { client_id: 'other.example' } }],
  ['response_uri', { answering: { response_uri: 'https://verifier.example/other' } }],
] satisfies readonly (readonly [string, MdocTelling])[])(
  'ISO/IEC TS 18013-7 B.4.4: the service refuses an mdoc whose device signed a wrong %s',
  async (_, telling) => {
    for (const protocol of DRAFTS) {
      const { begun, answer } = await respondWithMdoc(protocol, telling)
      expect(answer.status).toBe(400)
      expect(await reasonOf(begun)).toEqual(['pending', 'invalid_holder_signature'])
    }
  },
)

it('ISO/IEC TS 18013-7 B.4.4: the service refuses an mdoc in a response without apu', async () => {
  const begun = await begin(stage, { ...OVER_18, protocol: 'openid4vp-draft18' }, { rp: mdocRp })
  const { payload } = begun.request
  const answer = { ...responseOf(payload, await mdocAgeOf(mdocPerson, begun.request)), state: payload.state }
  const key = payload.client_metadata.jwks!.keys[0]!
  const response = await new CompactEncrypt(Buffer.from(JSON.stringify(answer)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid! })
    .encrypt(await importJWK(key, 'ECDH-ES'))
  const body = new URLSearchParams({ response })
  const posted = await stage.service.fetch(payload.response_uri, { method: 'POST', body })
  expect(posted.status).toBe(400)
  expect(await reasonOf(begun)).toEqual(['pending', 'malformed_holder_binding'])
})
