// Changes of `verifier` in the console: every stored identity stays as it is, without its private key.

import { describe, expect, it } from 'vitest'
import {
  toBody,
  toChange,
  withIdentity,
  withoutIdentity,
  withReplaced,
} from '../../console/settings/verifier-change.ts'
import type { Settings } from '../../packages/client/src/wire.ts'
import { patchSchema } from '../../src/relying-party/settings/settings-schema.ts'
import { mintLeaf, mintRoot } from '../support/certificates/certificates.ts'
import { identityOf } from '../support/wallets/good-request.ts'

type Verifier = NonNullable<Settings['verifier']>

const NOW = Date.parse('2026-11-20T12:00:00Z')
const RULES = { now: NOW, baseUrl: 'https://verifier.example', allowLoopback: false, trustLists: [] }
const root = await mintRoot()
const [OWN, APPLE, GOOGLE, NEW] = (await Promise.all([1, 2, 3, 4].map(() => mintLeaf(root)))).map(
  identityOf,
) as [Identity, Identity, Identity, Identity]
type Identity = ReturnType<typeof identityOf>

const DISPLAY = {
  display_name: null,
  logo_uri: 'https://shop.example/l.png',
  privacy_policy_uri: 'https://shop.example',
}
const DERIVED = { rp_metadata_bytes: '2Bh', rp_metadata_sha256: '00' }
const SITE = { certificate_chain_pem: OWN.certificate_chain_pem, domains: ['shop.example'] }

const shown = ({ certificate_chain_pem }: Identity) => ({
  certificate_chain_pem,
  certificate: { subject: 'CN=Shop', dns_names: [], valid_from: '', expires_at: '', sha256: '' },
  registration: null,
  uses: [],
})
const VERIFIER: Verifier = {
  ...shown(OWN),
  root_certificate_pem: null,
  attestation_jwt: null,
  further: [
    { ...shown(APPLE), google_wallet: null },
    { ...shown(GOOGLE), google_wallet: { ...DISPLAY, ...DERIVED } },
  ],
  reader_certificates: [SITE],
}
const chain = ({ certificate_chain_pem }: Identity) => ({ certificate_chain_pem })

describe('a change of the identities', () => {
  it('contains each stored identity without derived members and null members, and the API accepts the change', async () => {
    const change = toChange({ ...VERIFIER, reader_certificates: [] })
    const { display_name: _, ...google_wallet } = DISPLAY
    const further = [chain(APPLE), { ...chain(GOOGLE), google_wallet }]
    expect(change).toEqual({ ...chain(OWN), further, reader_certificates: [] })
    const current = { livemode: false, verifier: OWN, further_verifiers: [APPLE, GOOGLE] }
    const parsed = await patchSchema(RULES, current).safeParseAsync({ verifier: toBody(change) })
    expect(parsed.error?.issues).toBeUndefined()
    expect(toBody(toChange({ ...VERIFIER, further: [] }))).toEqual({
      ...chain(OWN),
      reader_certificates: [SITE],
    })
  })

  it('keeps registrations, uses, the root, the attestation, reader certificates and rp_metadata_bytes unchanged', () => {
    const registration = { certificate: 'a.b.c', dataset: { a: 1 }, encoding: 'compact' }
    const uses = [{ ...registration, intended_use: 'wine' }]
    const certified = { registration, uses }
    const further = [
      {
        ...shown(GOOGLE),
        ...certified,
        google_wallet: { display_name: null, logo_uri: null, privacy_policy_uri: null, ...DERIVED },
      },
    ]
    const more = { root_certificate_pem: 'root', attestation_jwt: 'jwt' }
    expect(toChange({ ...VERIFIER, ...more, ...certified, further })).toEqual({
      ...chain(OWN),
      ...more,
      ...certified,
      further: [{ ...chain(GOOGLE), ...certified, google_wallet: { rp_metadata_bytes: '2Bh' } }],
      reader_certificates: [SITE],
    })
  })

  it('adds the own identity first, even if reader certificates exist, and then further identities', () => {
    expect(withIdentity(toChange(null), OWN)).toEqual({ ...OWN, further: [], reader_certificates: [] })
    const readers = { ...VERIFIER, certificate_chain_pem: null, certificate: null, further: [] }
    const first = withIdentity(toChange(readers), OWN)
    expect(first).toEqual({ ...OWN, further: [], reader_certificates: [SITE] })
    expect(withIdentity(first, APPLE)).toEqual({ ...first, further: [APPLE] })
  })

  it('removes the root and the attestation if the first certificate of the own identity is replaced, and otherwise keeps them', () => {
    const registration = { certificate: 'a.b.c', dataset: { a: 1 }, encoding: 'compact' }
    const more = { root_certificate_pem: 'root', attestation_jwt: 'jwt' }
    const change = toChange({ ...VERIFIER, ...more, registration })
    const replaced = withReplaced(change, OWN.certificate_chain_pem, NEW)
    expect(replaced).toEqual({ ...toChange({ ...VERIFIER, registration }), ...NEW })
    expect(Object.keys(replaced ?? {})).toContain('registration')
    const longer = { certificate_chain_pem: `${OWN.certificate_chain_pem.trim()}\r\n${root.pem}` }
    for (const same of [longer, OWN])
      expect(withReplaced(change, OWN.certificate_chain_pem, same)).toEqual({ ...change, ...same })
    expect(withReplaced(change, APPLE.certificate_chain_pem, NEW)).toMatchObject(more)
  })

  it('replaces or removes the identity that has a given chain, and is undefined if no identity has this chain', () => {
    const change = toChange(VERIFIER)
    const [apple, google] = change.further
    expect(withReplaced(change, OWN.certificate_chain_pem, NEW)).toEqual({ ...change, ...NEW })
    expect(withReplaced(change, GOOGLE.certificate_chain_pem, NEW)?.further).toEqual([
      apple,
      { ...google, ...NEW },
    ])
    expect(withoutIdentity(change, APPLE.certificate_chain_pem)?.further).toEqual([google])
    expect(withReplaced(change, NEW.certificate_chain_pem, NEW)).toBeUndefined()
    expect(withoutIdentity(change, NEW.certificate_chain_pem)).toBeUndefined()
    expect(withoutIdentity(change, OWN.certificate_chain_pem)).toBeUndefined()
  })
})
