// `iso-18013-7-c`: ISO/IEC TS 18013-7 Annex C alone (`org-iso-mdoc`). This protocol works only over the
// Digital Credentials API. Without a redirect flow, the protocol has no Client Identifier, no response mode
// and no Request Object.

import { documentQuery } from '../dcql/document-query.ts'
import { openid4vp10 } from './openid4vp-1.0.ts'
import type { Protocol } from './protocol.ts'

/** ISO/IEC TS 18013-7 Annex C. `src/iso18013-7` builds and parses its messages. */
export const iso180137c: Protocol = {
  ...openid4vp10,
  clientIdPrefixes: [],
  responseModes: [],
  requestUriMethods: [],
  supportsRedirect: false,
  supportsTransactionData: false,
  canExpress: (query) => documentQuery(query) !== undefined,
  supportsFormat: (format) => format === 'mso_mdoc',
  acceptsByValue: false,
}
