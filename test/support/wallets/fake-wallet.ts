// The interface of the strict fake wallets. Each is written from the public source or documentation of one
// wallet: it refuses exactly what that wallet refuses, and discloses what that wallet would disclose.

import type { DisclosedClaim, Holding } from './holdings.ts'

/** A request as the platform passes it to the wallet. */
export type Invocation =
  | { readonly link: string; readonly isScanned?: boolean }
  | {
      readonly digital: DigitalRequest
      readonly origin: string
      /** All requests of the call, as some wallets get them. Absent: `digital` alone. */
      readonly requests?: readonly DigitalRequest[]
    }

/** An entry of `requests` of the Digital Credentials API, and the browser's result. */
export type DigitalRequest = {
  readonly protocol: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Everything outside the wallet, and the credentials in it. */
export type Surroundings = {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** The authority (PEM) on the wallet's list of verifiers' authorities. */
  readonly verifierCa: string
  /** Credentials that the person could hold. Each wallet uses those it supports. */
  readonly holdings: readonly Holding[]
}

/** The result of a request. `response` answers the post to the verifier; `credential` goes to the page. */
export type Answer =
  | { readonly refused: string }
  | { readonly disclosed: readonly DisclosedClaim[]; readonly response: Response }
  | { readonly disclosed: readonly DisclosedClaim[]; readonly credential: DigitalRequest }

/** Public sources of the behaviour. */
export type WalletSource =
  | { readonly repository: string; readonly commit: string; readonly files: readonly string[] }
  | { readonly documentation: readonly string[] }

export type FakeWallet = {
  /** Id of its profile. */
  readonly id: string
  readonly source: WalletSource | readonly WalletSource[]
  /** Date of the last reading. */
  readonly read: string
  /**
   * Members of its profile that the sources or the fake leave open, such as `dcql.values`. `dcql`: several of
   * its members. Absent: none.
   */
  readonly silent?: readonly string[]
  /**
   * Formats in which the wallet presents more than is asked. Its profile leaves these formats out, although
   * the wallet answers.
   */
  readonly excess?: readonly string[]
  readonly answer: (invocation: Invocation, surroundings: Surroundings) => Promise<Answer>
}

/** Makes a fake wallet from its function `answer`, which may call `refuse` at any depth. */
export function fakeWallet(wallet: FakeWallet): FakeWallet {
  return {
    ...wallet,
    answer: async (invocation, surroundings) => {
      try {
        return await wallet.answer(invocation, surroundings)
      } catch (thrown) {
        if (thrown instanceof WalletRefusal) return { refused: thrown.message }
        throw thrown
      }
    },
  }
}

/** The wallet ends the request. A short sentence says what it does not accept. */
export function refuse(why: string): never {
  throw new WalletRefusal(why)
}

/** Refuses unless the condition holds. */
export function refuseUnless(holds: boolean, why: string): asserts holds {
  if (!holds) refuse(why)
}

class WalletRefusal extends Error {}
