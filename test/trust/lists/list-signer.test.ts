import { expect, it } from 'vitest'
import { verifyTrustList } from '../../../src/trust/lists/trust-list.ts'
import { mintIssuerPki } from '../../support/certificates/certificates.ts'
import { LIST_NOW, PID_ISSUANCE, signLote } from '../../support/certificates/trust-lists.ts'

const SOON = { notAfter: new Date((LIST_NOW + 60) * 1000) }
const LATER = { notAfter: new Date((LIST_NOW + 3600) * 1000) }

it.each([
  ['the signer’s certificate', { leaf: SOON, intermediate: LATER }],
  ['the intermediate authority’s certificate', { intermediate: SOON, root: LATER }],
  ['the pinned authority’s certificate', { root: SOON, leaf: LATER }],
])(
  'signerExpires of a trust list is the earliest expiry in the certificate path of its signer: %s',
  async (_, changes) => {
    const { root, intermediate, leaf } = await mintIssuerPki(changes)
    const x5c = [leaf.x5c, intermediate.x5c]
    const body = await signLote(leaf, { services: [{ certificates: [root.x5c] }], header: { x5c } })
    const verified = await verifyTrustList(body, {
      kind: 'etsi_lote',
      signers: [{ x509_ca_pem: root.pem }],
      listType: null,
      services: [{ type: PID_ISSUANCE, credential_types: ['pid'], assurance_level: 'high' }],
      last: null,
      now: LIST_NOW,
    })
    expect(verified).toMatchObject({ ok: true, value: { signerExpires: LIST_NOW + 60 } })
  },
)
