// Reads and writes times in the format of RFC 3339. A day that does not exist, such as 30 February, is
// rejected, although `Date.parse` accepts it.

/**
 * Returns the Unix seconds of a time with a zone, rounded down. Returns `undefined` for any other text.
 *
 * @example
 * readDateTime('2026-11-21T13:30:00+01:30') // 1795262400
 */
export function readDateTime(text: string): number | undefined {
  const [, written, zone] = DATE_TIME.exec(text) ?? []
  if (written === undefined || zone === undefined) return undefined
  const local = Date.parse(`${written}Z`)
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(written)) return undefined
  const milliseconds = Date.parse(`${written}${zone}`)
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

/** Returns the text of a time in UTC, with milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Returns the text of a time in UTC, with milliseconds. Returns `null` for an unknown time. */
export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}
