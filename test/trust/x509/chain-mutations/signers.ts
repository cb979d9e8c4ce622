// Kinds of signer, each verified as a whole: an SD-JWT VC, a driving licence as an mdoc, and status lists as
// JWT and CWT.

import type { JsonWebKey } from 'node:crypto'
import { encodeBase64 } from '../../../../src/codec/base64url.ts'
import type { TrustAnchor } from '../../../../src/trust/anchors/anchor.ts'
import type { Verification } from '../../../formats/contract.ts'
import * as mdoc from '../../../formats/mdoc/good.ts'
import * as sdJwt from '../../../formats/sd-jwt-vc/good.ts'
import { alter, issueSdJwtVc } from '../../../support/people/issuer.ts'
import { makeCwt, makeJwt, statusOf } from '../../status/status-fixtures.ts'
import { GOOD, type Outcome, type Presented } from './world.ts'

/** Result of a chain with each kind of signer. */
export type Outcomes = {
  readonly sdJwtVc: Outcome
  readonly licence: Outcome
  readonly statusJwt: string
  readonly statusCwt: string
}

export async function outcomesOf(presented: Presented): Promise<Outcomes> {
  const anchors = presented.anchors.map(
    ({ pem }, i): TrustAnchor => ({ ...ANCHOR, name: `anchor ${i}`, x509_ca_pem: pem }),
  )
  const [sdJwtVc, licence, statusJwt, statusCwt] = await Promise.all([
    checkSdJwtVc(presented, anchors),
    checkLicence(presented, anchors),
    checkStatusJwt(presented, anchors),
    checkStatusCwt(presented, anchors),
  ])
  return { sdJwtVc, licence, statusJwt, statusCwt }
}

const ANCHOR = {
  purpose: ['issuer', 'status'],
  credential_types: ['pid', 'mdl'],
  assurance_level: 'high',
} as const

const { iss: _, ...CLAIMS } = sdJwt.CLAIMS
const HOLDER = sdJwt.HOLDER_KEY
const signing = (signer: Presented['signer']) => ({
  alg: 'ES256',
  privateJwk: signer.privateJwk as JsonWebKey,
})

const PRESENTATION = await sdJwt.presentGood(
  await issueSdJwtVc({
    issuer: signing(GOOD.leaf),
    holder: HOLDER,
    claims: CLAIMS,
    disclosable: sdJwt.DISCLOSABLE,
  }),
)

async function checkSdJwtVc({ chain, signer }: Presented, anchors: readonly TrustAnchor[]): Promise<Outcome> {
  const keys = { issuer: signing(signer), holder: HOLDER }
  const presentation = await alter(PRESENTATION, keys, ({ header }) => {
    header.x5c = chain.map(encodeBase64)
  })
  return wordOf(await sdJwt.verifyGood(presentation, { context: { anchors }, isJudged: false }))
}

async function checkLicence({ chain, signer }: Presented, anchors: readonly TrustAnchor[]): Promise<Outcome> {
  const presentation = mdoc.make({}, { pki: { ...GOOD, leaf: signer, chain: [...chain] } })
  return wordOf(await mdoc.verifyGood(presentation, { context: { anchors }, isJudged: false }))
}

const STATUS = {
  credentialAnchor: { name: 'anchor 0', assurance_level: 'high' },
  signerUsages: [mdoc.SIGNER_USAGE],
} as const

async function checkStatusJwt(
  { chain, signer }: Presented,
  anchors: readonly TrustAnchor[],
): Promise<string> {
  const x5c = chain.map(encodeBase64)
  return statusOf(
    await makeJwt({ iss: undefined }, { x5c }, signer.keys.privateKey),
    {},
    { ...STATUS, anchors },
  )
}

async function checkStatusCwt(
  { chain, signer }: Presented,
  anchors: readonly TrustAnchor[],
): Promise<string> {
  const x5chain = chain.length === 1 ? (chain[0] ?? []) : chain
  const cwt = await makeCwt({ unprotected: [[33, x5chain]] }, signer.keys.privateKey)
  return statusOf(cwt, {}, { ...STATUS, anchors })
}

function wordOf({ result }: Verification): Outcome {
  if (result.ok) return 'trusted'
  const { error } = result
  return error.reason === 'certificate_profile_violation' ? `${error.reason}: ${error.rule}` : error.reason
}
