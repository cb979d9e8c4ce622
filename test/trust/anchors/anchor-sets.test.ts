// Anchors restricted to sets (api/trust). A set only restricts: a signer that all anchors together do not
// trust is untrusted.

import { describe, expect, it } from 'vitest'
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { restrictToSets } from '../../../src/trust/anchors/signer.ts'
import { mintRoot } from '../../support/certificates/certificates.ts'
import { ask, caAnchor, outcomeOf, pki, SHARED } from '../fixtures.ts'

const ISSUER = 'https://issuer.example'
const list = { name: 'eu', sequence: 1, trust_as_of: '2027-01-15T00:00:00Z' }
const other = await mintRoot({ subject: 'CN=Other Root CA' })
const added = { name: 'club_card', builtIn: false }

describe('a signer', () => {
  it.each<[string, Partial<TrustAnchor>, readonly string[] | undefined, string]>([
    ['is trusted by an anchor without a set, if no set is named', {}, undefined, 'trusted'],
    ['is trusted by an anchor of a set, if no set is named', { sets: ['banks'] }, undefined, 'trusted'],
    ['is trusted by an anchor of the named set', { sets: ['state', 'banks'] }, ['banks'], 'trusted'],
    ['is trusted by an anchor of one of the named sets', { sets: ['banks'] }, ['state', 'banks'], 'trusted'],
    ['is trusted by an anchor of the named list', { list }, ['eu'], 'trusted'],
    ['is not trusted by an anchor without a set', {}, ['banks'], 'untrusted_issuer'],
    [
      'is not trusted by an anchor of a set that is not named',
      { sets: ['state'] },
      ['banks'],
      'untrusted_issuer',
    ],
    ['is not trusted by an anchor of a list that is not named', { list }, ['banks'], 'untrusted_issuer'],
    [
      'is not trusted by any anchor, if the list of named sets is empty',
      { sets: ['banks'] },
      [],
      'untrusted_issuer',
    ],
  ])('a signer %s', async (_, changes, sets, outcome) => {
    const anchors = [caAnchor(other.pem, { sets: ['banks'] }), caAnchor(pki.root.pem, changes)]
    expect(outcomeOf(await ask({}, { ...restrictToSets({}, sets), anchors }))).toBe(outcome)
  })

  it('is not trusted by an anchor that the protocol does not accept', async () => {
    const profile = restrictToSets({ acceptsAnchor: () => false }, ['banks'])
    const anchors = [caAnchor(pki.root.pem, { sets: ['banks'] })]
    expect(outcomeOf(await ask({}, { ...profile, anchors }))).toBe('untrusted_issuer')
  })

  it('is not trusted by a `*` anchor of the set if an anchor outside of the set names the type', async () => {
    const anchors = [
      caAnchor(pki.root.pem, { credential_types: ['*'], sets: ['banks'] }),
      caAnchor(other.pem, { credential_types: [added.name] }),
    ]
    const context = { ...restrictToSets({}, ['banks']), credentialType: added }
    expect(outcomeOf(await ask({}, { ...context, anchors: anchors.slice(0, 1) }))).toBe('trusted')
    expect(outcomeOf(await ask({}, { ...context, anchors }))).toBe('untrusted_issuer')
  })

  it('is not trusted by an authority of the set if an anchor outside of the set names the issuer', async () => {
    const anchors = [
      caAnchor(pki.root.pem, { sets: ['banks'] }),
      { ...SHARED, issuer: ISSUER, jwks: { keys: [] } },
    ]
    const context = restrictToSets({}, ['banks'])
    expect(outcomeOf(await ask({ iss: ISSUER }, { ...context, anchors: anchors.slice(0, 1) }))).toBe(
      'trusted',
    )
    expect(outcomeOf(await ask({ iss: ISSUER }, { ...context, anchors }))).toBe('untrusted_issuer')
  })
})
