// Tables as CSV (RFC 4180), for spreadsheets.

/** Without this mark at the start, Excel does not read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Returns a table as CSV: rows end with CRLF, and the file begins with a byte order mark. A cell that a
 * spreadsheet would run as a formula begins with `'`.
 *
 * @example
 * toCsv(['id', 'note'], [['v_1', 'a "b"']]) // '\uFEFFid,note\r\nv_1,"a ""b"""\r\n'
 */
export function toCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`)
  return BYTE_ORDER_MARK + lines.join('')
}

function toCell(text: string): string {
  const harmless = withoutFormula(text)
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * Returns a text that no spreadsheet runs as a formula (OWASP: CSV Injection). In some countries a
 * spreadsheet splits lines at semicolons, also within the quotes of a later cell. So the text after each
 * separator is made harmless, too.
 */
function withoutFormula(text: string): string {
  const inner = text.replace(/([;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "$1'")
  return /^[=+\-@\t\r\n＝＋－＠]/.test(inner) ? `'${inner}` : inner
}

/** A table to be saved: its header and its rows. */
export type CsvTable = readonly [header: readonly string[], rows: readonly (readonly string[])[]]

/** Returns the name of a file, for example `verifications-test-2027-01-31.csv`. The day is in UTC. */
export function csvName(name: string, mode: string, now: number): string {
  return `${name}-${mode}-${new Date(now).toISOString().slice(0, 10)}.csv`
}
