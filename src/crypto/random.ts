// Random bytes. Only the rooms that know the platform call this; the rooms from `policy` to `codec` are given their random values.

/** Fresh random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
