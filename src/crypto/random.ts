// Random bytes. Only the parts of the service that depend on the platform call this function. The parts from
// `policy` to `codec` (docs/architecture.md) receive random values as arguments.

/** Returns new random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
