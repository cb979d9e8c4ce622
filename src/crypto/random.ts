// Random bytes. In the parts of the service from `policy` to `codec` (docs/architecture.md), only `drawNonce`
// in `openid4vp` calls this function. All other functions there receive random values as arguments.

/** Returns new random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
