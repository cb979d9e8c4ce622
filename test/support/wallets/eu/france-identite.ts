// France Identité. Its source is not public: the playground documents mdocs of the PID and of the age
// attestation, requests by reference with x509_hash, and encrypted responses.

import { answerDocumented } from '../documented.ts'
import { type FakeWallet, fakeWallet } from '../fake-wallet.ts'

export const franceIdentite: FakeWallet = fakeWallet({
  id: 'france-identite',
  source: {
    documentation: ['https://playground.france-identite.gouv.fr/doc/', 'https://france-identite.gouv.fr/'],
  },
  read: '2026-11-22',
  silent: ['dcql', 'transaction_data'],
  answer: (invocation, surroundings) =>
    answerDocumented(invocation, surroundings, {
      schemes: ['openid4vp:'],
      types: ['eu.europa.ec.eudi.pid.1', 'eu.europa.ec.av.1'],
    }),
})
