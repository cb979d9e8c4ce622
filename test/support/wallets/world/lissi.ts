// Lissi ID-Wallet. Its documentation names the schemes that open it, that of HAIP among them, and no more:
// the fake answers what HAIP 1.0 requires of each wallet.

import { answerDocumented } from '../documented.ts'
import { type FakeWallet, fakeWallet } from '../fake-wallet.ts'

export const lissi: FakeWallet = fakeWallet({
  id: 'lissi',
  source: {
    documentation: [
      'https://docs.wallet.lissi.id/home/wallet-invocation',
      'https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0-final.html',
    ],
  },
  read: '2026-11-22',
  silent: ['client_id_prefixes', 'dcql', 'passing', 'request_uri_methods', 'transaction_data'],
  answer: (invocation, surroundings) =>
    answerDocumented(invocation, surroundings, {
      schemes: ['openid4vp:', 'eudi-openid4vp:', 'haip-vp:'],
      formats: ['dc+sd-jwt', 'mso_mdoc'],
    }),
})
