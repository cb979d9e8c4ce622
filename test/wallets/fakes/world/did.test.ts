// The fakes of wallets that take a verifier by its DID.

import { expect, it } from 'vitest'
import { goodPayload, makeStage, NAME_SD_JWT, signRequest } from '../../../support/wallets/good-request.ts'
import { procivis } from '../../../support/wallets/world/procivis.ts'
import { waltId } from '../../../support/wallets/world/walt-id.ts'

const stage = await makeStage()
const DID = 'did:web:shop.example'
const KEY_ID = `${DID}#key`
const { kty, crv, x, y } = stage.verifier.leaf.privateJwk
const DOCUMENT = {
  id: DID,
  verificationMethod: [
    { id: KEY_ID, type: 'JsonWebKey2020', controller: DID, publicKeyJwk: { kty, crv, x, y } },
  ],
  authentication: [KEY_ID],
  assertionMethod: [KEY_ID],
}

async function offer(wallet: typeof waltId, kid: string) {
  const client_id = `decentralized_identifier:${DID}`
  const payload = { ...goodPayload(stage.verifier, [NAME_SD_JWT]), client_id }
  const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid }
  const request = await signRequest(header, payload, stage.verifier.leaf.privateJwk)
  const fetch = async (url: string) => {
    if (url === 'https://shop.example/.well-known/did.json') return Response.json(DOCUMENT)
    const type = 'application/oauth-authz-req+jwt'
    return url === payload.response_uri
      ? Response.json({})
      : new Response(request, { headers: { 'content-type': type } })
  }
  const link = `openid4vp://?${new URLSearchParams({ client_id, request_uri: 'https://shop.example/request' })}`
  return wallet.answer({ link }, { ...stage, verifierCa: stage.verifier.root.pem, fetch })
}

it.each([waltId, procivis])(
  '$id answers a verifier only if the key of the request is in the verifier’s DID document',
  async (wallet) => {
    expect(await offer(wallet, KEY_ID)).toMatchObject({ disclosed: { length: 2 } })
    for (const kid of [`${DID}#another`, 'did:web:other.example#key']) {
      expect(await offer(wallet, kid)).toEqual({ refused: 'the DID did not sign the request' })
    }
  },
)
