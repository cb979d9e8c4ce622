// Mistakes with logins by OpenID Connect.

import type { Mutant } from './index.ts'

const FINISH = 'src/session/login/finish.ts'

export const LOGIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a code is redeemed again',
    changes: [
      { path: FINISH, replaced: 'if (login.redeemed !== null) {', by: 'if (login.redeemed?.until === 0) {' },
    ],
  },
  {
    name: 'a redemption is not written',
    changes: [
      {
        path: FINISH,
        replaced: 'context.store.commit(redeemedDocument(',
        by: 'void (redeemedDocument(',
      },
    ],
  },
  {
    name: 'a code before the browser has returned',
    changes: [
      {
        path: FINISH,
        replaced: "status === 'pending' && held?.returned ? held.login : undefined",
        by: "status === 'pending' ? held?.login : undefined",
      },
    ],
  },
  {
    name: 'a second use revokes nothing',
    changes: [
      {
        path: FINISH,
        replaced: 'redeemed: { ...login.redeemed, token: null }',
        by: 'redeemed: { ...login.redeemed }',
      },
    ],
  },
  {
    name: 'any verifier redeems a code',
    changes: [
      {
        path: FINISH,
        replaced: 'const isProven = login.code_challenge === redemption.challenge',
        by: 'const isProven = redemption.challenge !== undefined',
      },
    ],
  },
  {
    name: 'any key redeems a code',
    changes: [{ path: FINISH, replaced: '!isProven || !isOfKey ||', by: '!isProven ||' }],
  },
  {
    name: 'any key reads UserInfo',
    changes: [
      {
        path: FINISH,
        replaced: '(login.redeemed.jkt ?? null) !== presented.jkt',
        by: 'presented.jkt === undefined',
      },
    ],
  },
]
