// Apple Wallet. Its source is not public: the documentation describes requests of ISO/IEC TS 18013-7 Annex C
// with reader authentication, for documents of listed types.

import { answerOneDocument, receiveDeviceRequest } from '../annex-c.ts'
import { SILENT } from '../documented.ts'
import { type FakeWallet, fakeWallet, refuse, refuseUnless } from '../fake-wallet.ts'

const TYPES = [
  'org.iso.18013.5.1.mDL',
  'org.iso.23220.photoid.1',
  'org.iso.23220.photoID.1',
  'org.iso.23220.1.jp.mnc',
]

export const appleWallet: FakeWallet = fakeWallet({
  id: 'apple-wallet',
  source: {
    documentation: [
      'https://developer.apple.com/documentation/identitydocumentservices/requesting-a-mobile-document-on-the-web',
      'https://developer.apple.com/documentation/passkit/requesting-identity-information-from-a-digital-id',
      'https://webkit.org/blog/17431/online-identity-verification-with-the-digital-credentials-api',
    ],
  },
  read: '2026-11-22',
  silent: ['dcql'],
  answer: async (invocation, { holdings }) => {
    if ('link' in invocation) return refuse('no links')
    const request = receiveDeviceRequest(invocation.digital, invocation.origin)
    const isSigned = request.readers.length > 0 || request.allReaders.length > 0
    refuseUnless(isSigned, 'reader authentication is missing')
    refuseUnless(request.documents.length === 1, `${SILENT}several documents`)
    const held = holdings.filter(({ type }) => TYPES.includes(type))
    return answerOneDocument(request, held)
  },
})
