// Lissi ID-Wallet. Its documentation names the schemes that open it, among them the scheme of HAIP, and no
// more: the fake answers what HAIP 1.0 requires of each wallet, by the scheme of HAIP only.

import { answerDocumented, SILENT } from '../documented.ts'
import { type FakeWallet, fakeWallet, refuse } from '../fake-wallet.ts'

const OTHERS = ['openid4vp:', 'eudi-openid4vp:']

export const lissi: FakeWallet = fakeWallet({
  id: 'lissi',
  source: {
    documentation: [
      'https://docs.wallet.lissi.id/home/wallet-invocation',
      'https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0-final.html',
    ],
  },
  read: '2026-11-22',
  silent: ['dcql', 'protocols.openid4vp-1.0', 'transaction_data'],
  answer: async (invocation, surroundings) => {
    if ('link' in invocation && OTHERS.includes(new URL(invocation.link).protocol)) {
      return refuse(`${SILENT}requests outside HAIP`)
    }
    return answerDocumented(invocation, surroundings, {
      schemes: ['haip-vp:'],
      formats: ['dc+sd-jwt', 'mso_mdoc'],
    })
  },
})
