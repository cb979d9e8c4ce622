// The Multipaz Wallet, with the Multipaz SDK. It reads no authority of a verifier before it answers: the
// person sees if the verifier is known.

import { answerDocuments, holdingOf, ISO_MDOC, receiveDeviceRequest } from '../annex-c.ts'
import { firstClaimSet, firstOptions, hasType } from '../dcql.ts'
import {
  type Answer,
  type FakeWallet,
  fakeWallet,
  type Invocation,
  refuse,
  refuseUnless,
} from '../fake-wallet.ts'
import type { Holding } from '../holdings.ts'
import { readMultiSigned } from '../multi-signed.ts'
import {
  type CredentialQuery,
  decodeRequestObject,
  type Payload,
  verifySignature,
} from '../request-object.ts'
import type { Choice } from '../responding.ts'
import { authoritiesOf } from './dcql-library.ts'
import { receive, respond } from './exchange.ts'

type Digital = Extract<Invocation, { readonly digital: unknown }>

const FORMATS = ['mso_mdoc', 'dc+sd-jwt']
const SDK = 'multipaz/src/commonMain/kotlin/org/multipaz'

export const multipaz: FakeWallet = fakeWallet({
  id: 'multipaz',
  source: [
    {
      repository: 'openwallet-foundation/multipaz-wallet',
      commit: '56fef5332990db04804c7cfb331cb68d19f642f0',
      files: [
        'androidApp/src/main/AndroidManifest.xml',
        'androidApp/src/main/java/org/multipaz/wallet/android/App.kt',
        'iosApp/iosApp/Info.plist',
      ],
    },
    {
      repository: 'openwallet-foundation/multipaz',
      commit: '0.102.0',
      files: [
        `${SDK}/presentment/uriSchemePresentment.kt`,
        `${SDK}/presentment/digitalCredentialsPresentment.kt`,
        `${SDK}/openid/OpenID4VP.kt`,
        `${SDK}/openid/dcql/DcqlQuery.kt`,
        `${SDK}/mdoc/request/DeviceRequest.kt`,
      ],
    },
  ],
  read: '2026-11-29',
  silent: ['transaction_data'],
  answer: async (invocation, surroundings) => {
    const { holdings } = surroundings
    if ('digital' in invocation && invocation.digital.protocol === ISO_MDOC) {
      return answerDeviceRequest(invocation, holdings)
    }
    const payload =
      'digital' in invocation
        ? await receiveDigital(invocation, surroundings.verifierCa)
        : await receive(invocation, surroundings, {
            bases: ['openid4vp://', 'haip-vp://'],
            prefixes: ['x509_hash', 'x509_san_dns'],
            posts: false,
            listsAuthorities: false,
          })
    return respond(
      payload,
      choose(payload, holdings),
      { invocation, surroundings },
      { findKey: ([key]) => key, encryptions: ['A128GCM'] },
    )
  },
})

/** Each certificate chain of a signed request is accepted, and `expected_origins` is not read. */
async function receiveDigital({ digital, origin }: Digital, verifierCa: string): Promise<Payload> {
  const { protocol, data } = digital
  if (protocol === 'openid4vp-v1-unsigned') return { ...(data as Payload), client_id: `origin:${origin}` }
  if (protocol === 'openid4vp-v1-multisigned') {
    return (await readMultiSigned(data, { origin, verifierCa })).payload
  }
  refuseUnless(protocol === 'openid4vp-v1-signed', 'the exchange protocol is not supported')
  const text = String(data.request)
  const { payload, chain } = decodeRequestObject(text)
  await verifySignature(text, chain, ['ES256', 'ES384', 'ES512'])
  return payload
}

/**
 * Without use cases only the first document request counts; else the first set of each mandatory use case.
 */
function answerDeviceRequest({ digital, origin }: Digital, holdings: readonly Holding[]): Promise<Answer> {
  const request = receiveDeviceRequest(digital, origin)
  const { documents, useCases } = request
  const mandatory = (useCases ?? [{ mandatory: true, documentSets: [[0]] }]).filter((one) => one.mandatory)
  const chosen = mandatory.map(({ documentSets }) => {
    const sets = documentSets.map((indexes) => indexes.flatMap((index) => documents[index] ?? []))
    const found = sets.find((set) => set.every((document) => holdingOf(document, holdings) !== undefined))
    return found ?? refuse('a mandatory use case cannot be satisfied')
  })
  return answerDocuments(request, [...new Set(chosen.flat())], holdings)
}

function choose({ dcql_query: query }: Payload, holdings: readonly Holding[]): readonly Choice[] {
  for (const { format } of query.credentials) {
    refuseUnless(FORMATS.includes(format), `the format ${format} is not supported`)
  }
  const choices = firstOptions(query, (one) => choiceOf(one, holdings))
  return choices ?? refuse('no credentials match the query')
}

function choiceOf(query: CredentialQuery, holdings: readonly Holding[]): Choice | undefined {
  const akis = (query.trusted_authorities ?? []).flatMap(({ type, values }) => (type === 'aki' ? values : []))
  const holding = holdings.find(
    (one) =>
      hasType(one, query) &&
      firstClaimSet(one, query) !== undefined &&
      (akis.length === 0 || authoritiesOf(one).some((aki) => akis.includes(aki))),
  )
  if (holding === undefined) return undefined
  return { id: query.id, holding, paths: (firstClaimSet(holding, query) ?? []).map(({ path }) => path) }
}
