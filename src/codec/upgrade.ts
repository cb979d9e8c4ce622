// Upgrade of stored documents, one schema version at a time. A change of a stored shape appends one step to
// its table.

/** The current version of a stored shape, and the steps to it. A version without a step is not readable. */
export type Schema = {
  readonly current: number
  /** Steps by the version that they read. Each returns the document of the next version. */
  readonly steps: Readonly<Record<number, (stored: never) => object>>
  /** Begins the error of a document that is not readable. The version follows. */
  readonly unreadable: string
}

/**
 * Returns a stored document in its current shape. Storage keeps the older document until the caller saves, so
 * a crash in the middle repeats the upgrade. Throws for a version that is too old or too new: the code never
 * guesses.
 */
export function upgradeDocument(stored: object, version: unknown, schema: Schema): object {
  let document = stored
  for (let at = Number(version); at !== schema.current; at++) {
    const step = schema.steps[at]
    if (step === undefined) throw new Error(schema.unreadable + String(version))
    document = step(document as never) // the version names the shape
  }
  return document
}
