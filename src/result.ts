/** Result of a function: a value, or a typed reason why there is none. Bad input throws nothing. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/** A failure. */
export function err<const E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}
