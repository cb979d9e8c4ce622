// The sandbox's way back to the verifier, the only one it has.

/** What the platform binds for it. */
export type VerifierEnv = {
  /** The verifier, where both start together. */
  readonly VERIFIER?: Fetcher
  /** Origin of the verifier. */
  readonly BASE_URL?: string
}

/** `fetch` of the verifier's own addresses; of any other it throws. */
export type CallVerifier = (address: string | URL, init?: RequestInit) => Promise<Response>

/**
 * The way back; undefined where no BASE_URL is set. Deployed, it leads by the verifier's public address: the platform refuses a
 * binding to a Worker that does not exist yet, so of two that were bound to each other neither could be deployed first.
 */
export function verifierOf({ VERIFIER, BASE_URL }: VerifierEnv): CallVerifier | undefined {
  if (BASE_URL === undefined) return undefined
  const { origin } = new URL(BASE_URL)
  return async (address, init) => {
    if (new URL(address).origin !== origin) throw new Error('not an address of the verifier')
    const there = { ...init, redirect: 'manual' } as const // it redirects nobody, and so leads nowhere else
    return VERIFIER === undefined ? fetch(address, there) : VERIFIER.fetch(address, there)
  }
}
