// Answers for people: one member a line, what is inside another further in.

/** JSON as indented lines. */
export function readable(value) {
  return plain(linesOf(value).join('\n'))
}

/** A problem (docs/contract.md, section 9): what is wrong, where, and by which id the log knows it. */
export function readableProblem(status, body) {
  if (typeof body?.code !== 'string') return `The service answered ${status}, and not as this service does.`
  const errors = (body.errors ?? []).map(({ pointer, message }) => `  ${pointer}: ${message}`)
  const detail = body.detail === undefined || body.detail === body.title ? '' : ` ${body.detail}`
  return plain(
    [`${body.title} (${status} ${body.code}).${detail}`, ...errors, `  ${body.request_id}`].join('\n'),
  )
}

/** Relying parties write some of it: what would steer a terminal is shown in its place. */
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

/** A text of several lines, a certificate say, stands below its name. */
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
