// Errors that the platform raises by itself, and what the log may say about an error. A message of our own
// code or of a parser may quote what was sent, so only a message of the platform is logged.

/** Start of the message of a failure inside the platform. workerd's own line has the same reference. */
const INTERNAL = 'internal error; reference = '
/** A message of SQLite ends with the name of its result: `database or disk is full: SQLITE_FULL`. */
const SQLITE = /^[\w .,/()-]+: SQLITE_[A-Z_]+( \(extended: SQLITE_[A-Z_]+\))?$/
const LENGTH = 200

/**
 * Returns true if the platform could not reach an object, has reset it, or reports it as overloaded. The
 * platform sets properties on these errors.
 */
export function isTemporary(error: Error): boolean {
  return ['retryable', 'overloaded', 'durableObjectReset'].some((mark) => Reflect.get(error, mark) === true)
}

/** Returns true for a failure inside the platform. Such an error can be recognized only by its message. */
export function isInternal(error: Error): boolean {
  return error.message.startsWith(INTERNAL)
}

/** Returns what the log may say about an error: its name, and the message if it is one of the platform. */
export function loggedError(error: unknown): { readonly error: string; readonly message?: string } {
  if (!(error instanceof Error)) return { error: '' }
  const { name, message } = error
  const isOfPlatform = isTemporary(error) || isInternal(error) || SQLITE.test(message)
  return { error: name, ...(isOfPlatform && { message: message.slice(0, LENGTH) }) }
}
