// The German EUDI wallet in its sandbox. According to its documentation, it follows HAIP, holds an mdoc PID,
// and expects the whole chain of the access certificate in x5c, with the root.

import { X509Certificate } from 'node:crypto'
import { answerDocumented } from '../documented.ts'
import { type FakeWallet, fakeWallet, refuseUnless } from '../fake-wallet.ts'

export const germanEudiWallet: FakeWallet = fakeWallet({
  id: 'german-eudi-wallet',
  source: {
    documentation: ['https://bmi.usercontent.opencode.de/eudi-wallet/eidas-2.0-architekturkonzept/'],
  },
  read: '2026-11-22',
  silent: ['dcql', 'transaction_data'],
  answer: (invocation, surroundings) =>
    answerDocumented(invocation, surroundings, {
      schemes: ['openid4vp:', 'haip-vp:'],
      types: ['eu.europa.ec.eudi.pid.1'],
      check: ({ chain }, { verifierCa }) => {
        const root = new X509Certificate(verifierCa)
        refuseUnless(chain.at(-1)?.fingerprint256 === root.fingerprint256, 'the root is missing in x5c')
      },
    }),
})
