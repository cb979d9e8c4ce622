// Requests and responses of `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C).

import { openAnnexC, parseAnnexCData, transcriptFor } from '../../../src/exchange/annex-c.ts'
import { buildDeviceRequest } from '../../../src/iso18013-7/device-request.ts'
import { buildEncryptionInfo } from '../../../src/iso18013-7/encryption-info.ts'
import { mdocOfAnnexC } from '../../../src/iso18013-7/format.ts'
import { documentQuery } from '../../../src/openid4vp/dcql/document-query.ts'

/** Functions and the format of `org-iso-mdoc`. Only the part `annexC` has them. */
export const DOCUMENTS = {
  documentQuery,
  buildDeviceRequest,
  buildEncryptionInfo,
  transcriptFor,
  parseAnnexCData,
  openAnnexC,
  format: mdocOfAnnexC,
} as const
