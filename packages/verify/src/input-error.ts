// The error for a wrong input of the caller.

/** One wrong member: its JSON Pointer (RFC 6901) in the input, a code, and what it must be. */
export type InputFault = { readonly pointer: string; readonly code: string; readonly message: string }

/** A wrong input of the caller. A bad response of a wallet never throws it. */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** Every wrong member. */
  readonly faults: readonly InputFault[]

  constructor(faults: readonly InputFault[]) {
    super(faults.map(({ pointer, message }) => `${pointer || 'the input'} ${message}`).join('; '))
    this.faults = faults
  }
}
