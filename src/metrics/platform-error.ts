// Recognizes errors that the platform raises by itself, and selects what the log may say about an error. A
// message of our own code or of a parser may quote a caller's input. So only messages of the platform are
// logged.

/**
 * Start of the message of a failure inside the platform. The line that workerd logs about the failure
 * contains the same reference.
 */
const INTERNAL = 'internal error; reference = '
/** A message of SQLite ends with the name of its result: `database or disk is full: SQLITE_FULL`. */
const SQLITE = /^[\w .,/()-]+: SQLITE_[A-Z_]+( \(extended: SQLITE_[A-Z_]+\))?$/
const LENGTH = 200

/**
 * Returns true if the platform could not reach a Durable Object, has reset it, or reports it as overloaded.
 * The platform marks these errors with properties.
 */
export function isTemporary(error: Error): boolean {
  return ['retryable', 'overloaded', 'durableObjectReset'].some((mark) => Reflect.get(error, mark) === true)
}

/** Returns true for a failure inside the platform. Such an error can be recognized only by its message. */
export function isInternal(error: Error): boolean {
  return error.message.startsWith(INTERNAL)
}

/**
 * Returns what the log may say about an error: its name, and the message if the platform raised the error.
 */
export function loggedError(error: unknown): { readonly error: string; readonly message?: string } {
  if (!(error instanceof Error)) return { error: '' }
  const { name, message } = error
  const isOfPlatform = isTemporary(error) || isInternal(error) || SQLITE.test(message)
  return { error: name, ...(isOfPlatform && { message: message.slice(0, LENGTH) }) }
}
