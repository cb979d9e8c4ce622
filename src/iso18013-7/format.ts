// The format `mso_mdoc` for Annex C. A document is verified as in OpenID4VP, but the checks cite the clauses
// of ISO.

import { mdoc } from '../formats/mdoc/mdoc.ts'
import type { CredentialFormat } from '../formats/verification/format.ts'

const ANNEX_C = 'ISO/IEC TS 18013-7 Annex C'

/** ISO mdoc over `org-iso-mdoc`. */
export const mdocOfAnnexC: CredentialFormat = {
  ...mdoc,
  clauses: {
    ...mdoc.clauses,
    structure: 'ISO/IEC 18013-5 §8.3.2.1.2.2',
    type: 'ISO/IEC 18013-5 §9.3.1',
    nonce: ANNEX_C,
    audience: ANNEX_C,
  },
}
