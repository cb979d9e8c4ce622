/**
 * Result of a function: a value, or a typed error. A function with this result does not throw for invalid
 * input.
 */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

/** Returns a success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

/** Returns a failure. */
export function err<const E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}
