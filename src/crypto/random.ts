// Random bytes. The parts of the service from `policy` to `codec` (docs/architecture.md) receive random
// values as arguments. Only `drawNonce`, in `openid4vp`, calls this function.

/** Returns new random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
