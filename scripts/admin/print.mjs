// Prints responses for people: members as aligned columns, lists of alike objects as tables, inner members
// indented.

/** Formats JSON as aligned lines. */
export function readable(value) {
  return plain(linesOf(value).join('\n'))
}

/**
 * Formats a problem (api/errors): its title, the invalid members, and the request id for the
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

/** Control characters, marks of direction and unassigned characters, except the line feed. */
const UNPRINTABLE = /[^\P{C}\n]/gu

/** Escapes control characters: other parties write some of these texts, and a terminal would obey them. */
export function plain(text) {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0).toString(16)}}`)
}

/** Works like `plain`, for a text that must stay on one line: a line feed is escaped, too. */
export function plainLine(text) {
  return plain(text).replaceAll('\n', '\\u{a}')
}

/**
 * Formats JSON for a terminal. `JSON.stringify` escapes control characters below U+0020 alone. The other
 * control characters are escaped as JSON does, so a program reads the same value.
 */
export function json(value, indent) {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

function linesOf(value) {
  if (!Array.isArray(value)) return memberLines(Object.entries(value))
  if (isTable(value)) return tableLines(value)
  return value.flatMap(itemLines)
}

/** Returns a line for each member. Members in a row that fit on a line are aligned. */
function memberLines(members) {
  const texts = members.map(([name, member]) => [name, inlineText(member)])
  const width = Math.max(0, ...texts.filter(([, text]) => text !== undefined).map(([name]) => name.length))
  return texts.flatMap(([name, text], index) =>
    text === undefined
      ? [name, ...indented(blockLines(members[index][1]))]
      : `${name.padEnd(width)}  ${text}`,
  )
}

/** Returns the text of a member that fits on a line, otherwise undefined. */
function inlineText(member) {
  if (isEmpty(member)) return 'none'
  if (Array.isArray(member)) return member.every(isInline) ? member.join(', ') : undefined
  return isInline(member) ? String(member) : undefined
}

/** A text of several lines, such as a certificate, is printed below its name. */
function isInline(value) {
  return value !== null && typeof value !== 'object' && !String(value).trimEnd().includes('\n')
}

function blockLines(member) {
  return typeof member === 'object' ? linesOf(member) : String(member).trimEnd().split('\n')
}

function itemLines(item) {
  if (typeof item !== 'object' || item === null) return [`- ${item}`]
  const [first = '', ...rest] = linesOf(item)
  return [`- ${first}`, ...indented(rest)]
}

/** Returns `true` for objects whose members all fit on a line. */
function isTable(items) {
  return items.every(
    (item) =>
      typeof item === 'object' &&
      item !== null &&
      !Array.isArray(item) &&
      Object.values(item).every((member) => isInline(member) || isEmpty(member)),
  )
}

/** Returns a line of names, and a line for each item. */
function tableLines(items) {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = [names, ...items.map((item) => names.map((name) => inlineText(item[name] ?? null)))]
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
}

function isEmpty(member) {
  return member === null || (typeof member === 'object' && Object.keys(member).length === 0)
}

function indented(lines) {
  return lines.map((line) => `  ${line}`)
}
