// Random bytes. Only the rooms that know the platform call this. The rooms from `policy` to `codec` receive
// random values as arguments.

/** Fresh random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
