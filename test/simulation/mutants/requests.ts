// Mistakes with requests, responses and return codes.

import type { Mutant } from './index.ts'

const RETURN = 'src/session/return/same-device.ts'
const BINDING = 'src/session/return/binding.ts'
const SESSION = 'src/session/verification-session.ts'

export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    name: 'the nonce of another request is accepted',
    changes: [
      {
        path: 'src/formats/holder-proof.ts',
        replaced: "const isNonce = member(claims, 'nonce') === expected.nonce",
        by: "const isNonce = typeof member(claims, 'nonce') === 'string'",
      },
    ],
  },
  {
    name: 'a discarded success leaves its request',
    changes: [
      {
        path: BINDING,
        replaced: 'generations: alive.filter(({ number }) => number !== held.generation)',
        by: 'generations: alive',
      },
    ],
  },
  {
    name: 'a return code that cannot be repeated',
    changes: [
      {
        path: RETURN,
        replaced: '  if (returned.redeemed) return ok(null)\n',
        by: "  if (returned.redeemed) return err('invalid_code')\n",
      },
    ],
  },
  {
    name: 'any return code opens the session',
    changes: [
      {
        path: RETURN,
        replaced: "if (!timingSafeEqualText(returnCode, code)) return err('invalid_code')",
        by: "if (returnCode.length !== code.length) return err('invalid_code')",
      },
    ],
  },
  {
    name: 'any browser brings the success back',
    changes: [
      {
        path: RETURN,
        replaced: 'if (!timingSafeEqualText(held.browser, browser))',
        by: 'if (held.browser.length !== browser.length)',
      },
    ],
  },
  {
    name: 'two creations at once',
    changes: [
      {
        path: SESSION,
        replaced: 'const creation = this.#creating.then(() => this.#create(input))',
        by: 'const creation = this.#create(input)',
      },
    ],
  },
  {
    name: 'a poll computes the expiry',
    changes: [
      {
        path: 'src/session/views/poll.ts',
        replaced: '  const sessionUrl = document.status',
        by: `  if (document.status === 'pending' && document.expires_at - 30_000 <= Date.now()) {
    document = { ...document, status: 'expired' }
  }
  const sessionUrl = document.status`,
      },
    ],
  },
  {
    name: 'the version does not rise at the end',
    changes: [
      {
        path: 'src/session/response/end-session.ts',
        replaced: '    version: document.version + 1,\n    ended_at',
        by: '    version: document.version,\n    ended_at',
      },
    ],
  },
]
