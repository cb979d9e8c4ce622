// Prints responses for people: one member a line, inner members indented.

/** Formats JSON as indented lines. */
export function readable(value) {
  return plain(linesOf(value).join('\n'))
}

/**
 * Formats a problem (docs/contract.md, section 9): its title, the invalid members, and the request id for the
 * log.
 */
export function readableProblem(status, body) {
  if (typeof body?.code !== 'string')
    return `HTTP ${status} without a problem document. Check that BASE_URL is this service.`
  const errors = (body.errors ?? []).map(({ pointer, message }) => `  ${pointer}: ${message}`)
  const detail = body.detail === undefined || body.detail === body.title ? '' : ` ${body.detail}`
  return plain(
    [`${body.title} (${status} ${body.code}).${detail}`, ...errors, `  ${body.request_id}`].join('\n'),
  )
}

/** Escapes control characters: relying parties write some of these texts, and a terminal would obey them. */
function plain(text) {
  return text.replace(/[^\P{C}\n]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`)
}

function linesOf(value) {
  if (Array.isArray(value)) return value.flatMap(itemLines)
  return Object.entries(value).flatMap(([name, member]) => memberLines(name, member))
}

function memberLines(name, member) {
  if (isEmpty(member)) return [`${name}: none`]
  if (typeof member !== 'object') return textLines(name, String(member))
  return [`${name}:`, ...indented(linesOf(member))]
}

function itemLines(item) {
  if (typeof item !== 'object' || item === null) return [`- ${item}`]
  const [first = '', ...rest] = linesOf(item)
  return [`- ${first}`, ...indented(rest)]
}

/** Prints a text of several lines, such as a certificate, below its name. */
function textLines(name, text) {
  const lines = text.trimEnd().split('\n')
  return lines.length === 1 ? [`${name}: ${text}`] : [`${name}:`, ...indented(lines)]
}

function isEmpty(member) {
  return member === null || (typeof member === 'object' && Object.keys(member).length === 0)
}

function indented(lines) {
  return lines.map((line) => `  ${line}`)
}
