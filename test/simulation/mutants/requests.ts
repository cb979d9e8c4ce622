// Mistakes with requests, responses and return codes.

import type { Mutant } from './index.ts'

const RETURN = 'src/session/return/same-device.ts'
const BINDING = 'src/session/end/binding.ts'
const SESSION = 'src/session/session.ts'

export const REQUEST_MUTANTS: readonly Mutant[] = [
  {
    name: 'the nonce of another request is accepted',
    changes: [
      {
        path: 'src/formats/verification/holder-proof.ts',
        replaced: "const isNonce = member(claims, 'nonce') === expected.nonce",
        by: "const isNonce = typeof member(claims, 'nonce') === 'string'",
      },
    ],
  },
  {
    name: 'state and nonce of another session are accepted',
    clause: /accepts a response to another/,
    changes: [
      {
        path: 'src/crypto/tagged-bytes.ts',
        replaced:
          'return timingSafeEqual(tagged.slice(length), await mac(key, context, bytes)) ? bytes : undefined',
        by: 'return (await mac(key, context, bytes)) && bytes',
      },
      {
        path: 'src/formats/verification/holder-proof.ts',
        replaced: "const isNonce = member(claims, 'nonce') === expected.nonce",
        by: "const isNonce = typeof member(claims, 'nonce') === 'string'",
      },
    ],
  },
  {
    name: 'a discarded request is alive again',
    clause: /is alive again/,
    changes: [
      {
        path: RETURN,
        replaced: '  context.store.commit(discardHeld(document, now))\n',
        by: `  context.store.commit(discardHeld(document, now))
  context.store.remember({ ...discardHeld(document, now), generations: document.generations })
`,
      },
    ],
  },
  {
    name: 'a response to a discarded request is verified',
    clause: /which is over/,
    changes: [
      {
        path: RETURN,
        replaced: '  context.store.commit(discardHeld(document, now))\n',
        by: `  context.store.commit(discardHeld(document, now))
  Object.assign(context, { discarded: document.generations })
`,
      },
      {
        path: 'src/session/response/process-response.ts',
        replaced: '    document,\n    settings: settings.value,\n',
        by: `    document: {
      ...document,
      generations: [...document.generations, ...((context as { discarded?: [] }).discarded ?? [])],
    },
    settings: settings.value,
`,
      },
      { path: BINDING, replaced: ' || browser === null || !isThere)', by: ' || browser === null)' },
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
        path: 'src/session/end/end-session.ts',
        replaced: '    version: document.version + 1,\n    ended_at',
        by: '    version: document.version,\n    ended_at',
      },
    ],
  },
  {
    name: 'a fetched request is not written',
    clause: /showed version/,
    changes: [
      {
        path: 'src/session/request/fetching.ts',
        replaced: 'store.commit(fetched)',
        by: 'store.remember(fetched)',
      },
    ],
  },
  {
    name: 'the stage is that of the newest request',
    clause: /the stage of .* went back/,
    changes: [
      {
        path: 'src/session/document/document.ts',
        replaced: "return document.request_fetched ? 'request_fetched' : 'created'",
        by: "return document.generations.at(-1)?.fetched ? 'request_fetched' : 'created'",
      },
      {
        path: 'src/session/request/new-request.ts',
        replaced: 'const document = addStep(added, step, now)',
        by: 'const document = addStep({ ...added, version: added.version + 1 }, step, now)',
      },
    ],
  },
  {
    name: 'a socket gets a state before it is written',
    clause: /the socket of .* (showed|was shown as)/,
    changes: [
      {
        path: 'src/session/store/store.ts',
        replaced: '    write(written, evidence)\n    if (written.version !== seen) announce(slot, written)',
        by: '    if (written.version !== seen) announce(slot, written)\n    write(written, evidence)',
      },
    ],
  },
]
