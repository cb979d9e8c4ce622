// The wallet of the Californian DMV. Its verifier is public and lists what the wallet takes: by link draft 18
// with W3C credentials, and by the Digital Credentials API the mDL, on Android. SpruceID's SDK names the
// exchange protocol of version 1.0. For members of the query beyond plain claims there is no documentation.

import { firstClaimSet, hasType } from '../dcql.ts'
import { SILENT } from '../documented.ts'
import { type FakeWallet, fakeWallet, type Invocation, refuse, refuseUnless } from '../fake-wallet.ts'
import {
  type CredentialQuery,
  decodeRequestObject,
  dnsNamesOf,
  type Payload,
  verifySignature,
} from '../request-object.ts'
import { respond } from './exchange.ts'

const MDL = 'org.iso.18013.5.1.mDL'

export const californiaDmv: FakeWallet = fakeWallet({
  id: 'california-dmv',
  source: [
    {
      repository: 'stateofca/opencred',
      commit: '4ecabe382043d2d63baf7c307518c61c16544ea7',
      files: [
        'common/wallets/ca-dmv-wallet.js',
        'lib/workflows/profiles/native-18013-7-annex-d.js',
        'web/utils/dcapi.js',
      ],
    },
    {
      repository: 'spruceid/sprucekit-mobile',
      commit: '3c194291be2b524b96d9a837bddbd99986fe0aab',
      files: [
        'android/MobileSdk/src/main/java/com/spruceid/mobile/sdk/dcapi/Activity.kt',
        'android/MobileSdk/src/main/java/com/spruceid/mobile/sdk/dcapi/Registry.kt',
      ],
    },
  ],
  read: '2026-11-22',
  silent: ['dcql', 'transaction_data'],
  answer: async (invocation, surroundings) => {
    if ('link' in invocation) return refuse('links have requests of draft 18 for W3C credentials')
    const payload = await receiveSigned(invocation)
    const query = onlyQuery(payload)
    const holding = surroundings.holdings.find(
      (one) => one.type === MDL && hasType(one, query) && firstClaimSet(one, query) !== undefined,
    )
    if (holding === undefined) return refuse('no mDL with the requested elements')
    const choice = { id: query.id, holding, paths: (query.claims ?? []).map(({ path }) => path) }
    return respond(
      payload,
      [choice],
      { invocation, surroundings },
      {
        findKey: ([key]) => key,
        encryptions: ['A128GCM', 'A256GCM'],
      },
    )
  },
})

/** Annex D: a request object that the owner of the DNS name signed, for the page that passed it on. */
async function receiveSigned({
  digital,
  origin,
}: Extract<Invocation, { digital: unknown }>): Promise<Payload> {
  refuseUnless(digital.protocol === 'openid4vp-v1-signed', 'the exchange protocol is not supported')
  const text = String(digital.data.request)
  const { payload, chain } = decodeRequestObject(text)
  await verifySignature(text, chain, ['ES256'])
  const [prefix, name = ''] = payload.client_id.split(':')
  refuseUnless(prefix === 'x509_san_dns', `${SILENT}other prefixes than x509_san_dns`)
  const [leaf] = chain
  refuseUnless(leaf !== undefined && dnsNamesOf(leaf).includes(name), 'the certificate has another DNS name')
  refuseUnless(payload.expected_origins?.includes(origin) === true, 'the origin is not expected')
  return payload
}

function onlyQuery({
  transaction_data,
  dcql_query: { credentials, credential_sets },
}: Payload): CredentialQuery {
  refuseUnless(transaction_data === undefined, `${SILENT}transaction_data`)
  refuseUnless(credential_sets === undefined, `${SILENT}credential_sets`)
  const [query, ...others] = credentials
  if (query === undefined || others.length > 0) return refuse(`${SILENT}several queries`)
  refuseUnless(query.format === 'mso_mdoc', 'only mso_mdoc is presented')
  refuseUnless((query.claims ?? []).length > 0, `${SILENT}queries without claims`)
  refuseUnless(query.claim_sets === undefined, `${SILENT}claim_sets`)
  refuseUnless(query.trusted_authorities === undefined, `${SILENT}trusted_authorities`)
  refuseUnless(query.claims?.every(({ values }) => values === undefined) === true, `${SILENT}values`)
  return query
}
