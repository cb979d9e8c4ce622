// Upgrade of stored documents, one schema version at a time. Each stored shape has a table of steps. A change
// of the shape adds one step at the end. A step that only adds members is called an addition. The previous
// build can read documents after an addition, so a deployment can be rolled back.

/**
 * The current version of a stored shape, and the steps that lead to it. A document of an older version is not
 * readable if that version has no step and no addition.
 */
export type Schema = {
  /** Name of the member with the version. */
  readonly member: 'schema' | 'schema_version'
  readonly current: number
  /** Steps by the version that they read. Each returns the document of the next version. */
  readonly steps: Readonly<Record<number, (stored: never) => object>>
  /**
   * Steps that only add members. The previous build may read and change a document after such a step. The
   * previous build keeps the added members of an object that it copies. An object that it creates lacks these
   * members. So an addition must fill in missing members at every depth, and must not change existing
   * members.
   */
  readonly additions?: Readonly<Record<number, (stored: never) => object>>
  /** Start of the error message for a document that is not readable. The version of the document follows. */
  readonly unreadable: string
}

/**
 * Returns the members that state the schema version of a new document. `readable_from` is the oldest schema
 * version whose builds can read the document. It is absent if only the current version can read it.
 */
export function versionMembers<const S extends Schema>({ member, current, additions = {} }: S) {
  let oldest: number = current
  while (additions[oldest - 1] !== undefined) oldest--
  const version = { [member]: current } as { readonly [M in S['member']]: S['current'] }
  return oldest === current ? version : { ...version, readable_from: oldest }
}

/**
 * Returns a stored document in its current shape. Does not save the document. If the service stops before the
 * caller saves the document, the next read upgrades the document again. A document of a newer build is read
 * if that build only added members; the added members stay in the document. Throws if the version cannot be
 * read or upgraded.
 */
export function upgradeDocument(stored: object, schema: Schema): object {
  const { member, current, steps, additions = {}, unreadable } = schema
  const { [member]: version, readable_from } = stored as Readonly<Record<string, unknown>>
  if (Number(version) === current) return stored
  if (Number(version) > current && typeof readable_from === 'number' && readable_from <= current) {
    return { ...stored, [member]: current }
  }
  let document = stored
  for (let at = Number(version); at !== current; at++) {
    const step = steps[at] ?? additions[at]
    if (step === undefined) throw new Error(unreadable + String(version))
    document = step(document as never) // the version determines the shape
  }
  return { ...document, ...versionMembers(schema) }
}
