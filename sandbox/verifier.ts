// The sandbox's connection to the verifier, the only origin that it calls.

import type { CallVerifier } from './wallet/request.ts'

/** Bindings and variables for the connection. */
export type VerifierEnv = {
  /** The verifier, if both run in one process. */
  readonly VERIFIER?: Fetcher
  /** Origin of the verifier. */
  readonly BASE_URL?: string
}

/**
 * Returns a `fetch` that throws for other origins than the verifier's; undefined without BASE_URL. Deployed,
 * it uses the verifier's public address. Two Workers bound to each other could not be deployed, since the
 * target of a binding must exist.
 */
export function verifierOf({ VERIFIER, BASE_URL }: VerifierEnv): CallVerifier | undefined {
  if (BASE_URL === undefined) return undefined
  const { origin } = new URL(BASE_URL)
  return async (address, init) => {
    if (new URL(address).origin !== origin) throw new Error('not an address of the verifier')
    const options = { ...init, redirect: 'manual' } as const // a redirect could lead to another origin
    return VERIFIER === undefined ? fetch(address, options) : VERIFIER.fetch(address, options)
  }
}
