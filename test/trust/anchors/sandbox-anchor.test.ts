import { describe, expect, it } from 'vitest'
import identities from '../../../assets/sandbox/identities.json' with { type: 'json' }
import type { TrustAnchor } from '../../../src/trust/anchors/anchor.ts'
import { parseTrustAnchor } from '../../../src/trust/anchors/parse-anchor.ts'
import { sandboxAnchors } from '../../../src/trust/anchors/sandbox-anchor.ts'
import root from '../../../src/trust/anchors/sandbox-root.json' with { type: 'json' }
import { withDer } from '../../support/certificates/certificates.ts'

const OWN: TrustAnchor = {
  name: 'own',
  credential_types: ['employee_id'],
  assurance_level: 'low',
  did: 'did:web:issuer.example',
}

describe('the sandbox anchors', () => {
  it('trust the built-in types, those named by own anchors, and the other added ones', () => {
    const anchors = sandboxAnchors(['pid'], [OWN])
    expect(anchors.length).toBeGreaterThan(1)
    for (const anchor of anchors) expect(anchor.credential_types).toEqual(['pid', '*', 'employee_id'])
  })

  it('name no type of an anchor for status lists alone: an own anchor for `*` would no longer count', () => {
    const [anchor] = sandboxAnchors([], [{ ...OWN, purpose: ['status'] }])
    expect(anchor?.credential_types).toEqual(['*'])
  })
})

describe('an anchor of a relying party', () => {
  const named = { name: 'mine', credential_types: ['pid'], assurance_level: 'high' }
  const message = 'is of the sandbox, whose keys are public'

  it('cannot be the root of the sandbox, in any encoding', () => {
    const rewritten = root.x509_ca_pem.replaceAll('\n', '\n\n')
    for (const x509_ca_pem of [root.x509_ca_pem, rewritten]) {
      expect(parseTrustAnchor({ ...named, x509_ca_pem })).toMatchObject({ error: [{ message }] })
    }
  })

  it.each(['good', 'expired', 'signed_by_a_namesake'] as const)('cannot be a signer below it: %s', (name) => {
    const der = Uint8Array.from(Buffer.from(identities.identities[name].certificate, 'base64'))
    const { pem } = withDer({} as never, der)
    expect(parseTrustAnchor({ ...named, x509_certificate_pem: pem })).toMatchObject({ error: [{ message }] })
  })
})
