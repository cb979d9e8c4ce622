// Reads TypeScript as far as the architecture test needs it: imports of a file, and lengths of its functions.

import { stripTypeScriptTypes } from 'node:module'

export type Import = {
  /** As written; `null` for a dynamic import of a computed name. */
  readonly specifier: string | null
  readonly typeOnly: boolean
}

/** Returns every static, re-exporting, dynamic and type import of a file. */
export function importsOf(source: string): Import[] {
  const code = blank(source)
  const specifierAt = (quote: number) =>
    source.slice(quote + 1, code.indexOf(source.charAt(quote), quote + 1))

  const declarations = code.matchAll(/\b(?:import|export)\s+(?:([^'"()=;]*?)\bfrom\s*)?(?=['"])/g)
  const dynamic = code.matchAll(/\bimport\s*\(\s*(?=(['"])?)/g)
  return [
    ...[...declarations].map((match) => ({
      specifier: specifierAt(match.index + match[0].length),
      typeOnly: bindsTypesOnly(match[1] ?? ''),
    })),
    ...[...dynamic].map((match) => ({
      specifier: match[1] === undefined ? null : specifierAt(match.index + match[0].length),
      typeOnly: false,
    })),
  ]
}

/** Returns true for `type { A }` and `{ type A, type B }`. */
function bindsTypesOnly(clause: string): boolean {
  if (/^type\b/.test(clause)) return true
  const names = clause.match(/^\{([^}]*)\}\s*$/)?.[1]?.split(',') ?? []
  return names.some((name) => name.trim() !== '') && names.every((name) => /^\s*(type\b|$)/.test(name))
}

export type FunctionSpan = { readonly line: number; readonly lines: number }

/** Returns the first line and the number of lines of each function, parameters included. */
export function functionsOf(source: string): FunctionSpan[] {
  const code = blank(stripTypeScriptTypes(source))
  const lineOf = (index: number) => code.slice(0, index).split('\n').length
  const span = (start: number, end: number) => ({
    line: lineOf(start),
    lines: lineOf(end) - lineOf(start) + 1,
  })

  const arrows = [...code.matchAll(/=>\s*/g)].map((match) => {
    const body = match.index + match[0].length
    const end = code.charAt(body) === '{' ? closing(code, body) : endOfExpression(code, body)
    return span(startOfParameters(code, match.index), end)
  })
  const blocks = [...code.matchAll(/\)\s*\{/g)]
    .map((match) => ({ start: opening(code, match.index), body: match.index + match[0].length - 1 }))
    .filter(({ start }) => !/\b(if|for|await|while|switch|catch|with)\s*$/.test(code.slice(0, start)))
    .map(({ start, body }) => span(start, closing(code, body)))
  return [...arrows, ...blocks]
}

function startOfParameters(code: string, arrow: number): number {
  const last = code.slice(0, arrow).trimEnd().length - 1
  return code.charAt(last) === ')' ? opening(code, last) : last
}

/** Returns the index of the bracket that closes the bracket at `index`. */
function closing(code: string, index: number): number {
  let depth = 0
  for (let at = index; at < code.length; at++) {
    if ('([{'.includes(code.charAt(at))) depth++
    if (')]}'.includes(code.charAt(at)) && --depth === 0) return at
  }
  return code.length
}

/** Returns the index of the bracket that opens the bracket closed at `index`. */
function opening(code: string, index: number): number {
  let depth = 0
  for (let at = index; at >= 0; at--) {
    if (')]}'.includes(code.charAt(at))) depth++
    if ('([{'.includes(code.charAt(at)) && --depth === 0) return at
  }
  return 0
}

/** Returns the end of an expression: its enclosing bracket, a comma, or a line without a continuation. */
function endOfExpression(code: string, index: number): number {
  for (let at = index; at < code.length; at++) {
    const char = code.charAt(at)
    if ('([{'.includes(char)) at = closing(code, at)
    else if (')]},;'.includes(char)) return at - 1
    else if (char === '\n' && !/^\s*[.?:+\-*/%&|<>=]/.test(code.slice(at))) return at - 1
  }
  return code.length
}

/**
 * Replaces comments and the content of strings, templates and regular expressions by spaces. Offsets and
 * lines stay.
 */
export function blank(source: string): string {
  let code = ''
  while (code.length < source.length) {
    const at = code.length
    const end = endOfText(source, at, code)
    if (end === at) code += source.charAt(at)
    else if (/['"]/.test(source.charAt(at))) {
      code += source.charAt(at) + spaces(source.slice(at + 1, end - 1)) + source.charAt(end - 1)
    } else code += spaces(source.slice(at, end))
  }
  return code
}

/**
 * A comment: its first line (from 1) and its text without the marks. Line comments that follow each other are
 * one comment.
 */
export type Comment = { readonly line: number; readonly text: string }

/** Every comment of a file, in order. Instructions to tools (`biome-ignore`, `@ts-…`) are left out. */
export function commentsOf(source: string): Comment[] {
  const comments: { line: number; end: number; text: string }[] = []
  let code = ''
  let line = 1
  while (code.length < source.length) {
    const at = code.length
    const end = Math.max(endOfText(source, at, code), at + 1)
    const text = source.slice(at, end)
    if (/^\/[/*]/.test(text) && end > at + 1) {
      const last = comments.at(-1)
      const startsLine = source.slice(source.lastIndexOf('\n', at - 1) + 1, at).trim() === ''
      const joins = text.startsWith('//') && startsLine && last?.end === line - 1
      if (joins) Object.assign(last, { end: line, text: `${last.text}\n${withoutMarks(text)}` })
      // Only a line comment that starts its line can be continued by the next line.
      else
        comments.push({
          line,
          end: startsLine && text.startsWith('//') ? line : -1,
          text: withoutMarks(text),
        })
    }
    line += text.split('\n').length - 1
    code += end > at + 1 ? spaces(text) : text
  }
  return comments
    .filter(({ text }) => !/^(biome-ignore|@ts-)/.test(text))
    .map(({ line, text }) => ({ line, text }))
}

function withoutMarks(comment: string): string {
  return comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\/|\*)?\s?/, ''))
    .join('\n')
    .trim()
}

/**
 * Returns the end of the comment, string, template or regular expression at `at`; `at` itself without one.
 */
function endOfText(source: string, at: number, before: string): number {
  const rest = source.slice(at, at + 2)
  if (rest === '//') return indexAfter(source, '\n', at) - 1
  if (rest === '/*') return indexAfter(source, '*/', at + 2)
  if (rest[0] === "'" || rest[0] === '"') return endOfQuoted(source, at)
  if (rest[0] === '`') return endOfTemplate(source, at)
  if (rest[0] === '/' && mayStartRegExp(before)) return endOfRegExp(source, at)
  return at
}

function endOfQuoted(source: string, at: number): number {
  let end = at + 1
  while (end < source.length && source.charAt(end) !== source.charAt(at)) {
    end += source.charAt(end) === '\\' ? 2 : 1
  }
  return end + 1
}

function endOfTemplate(source: string, at: number): number {
  let end = at + 1
  while (end < source.length && source.charAt(end) !== '`') {
    if (source.charAt(end) === '\\') end += 2
    else if (source.startsWith('${', end)) end = endOfSubstitution(source, end + 2)
    else end++
  }
  return end + 1
}

function endOfSubstitution(source: string, at: number): number {
  let depth = 1
  let end = at
  while (end < source.length) {
    const text = endOfText(source, end, source.slice(0, end))
    if (text > end) {
      end = text
      continue
    }
    if (source.charAt(end) === '{') depth++
    if (source.charAt(end) === '}' && --depth === 0) return end + 1
    end++
  }
  return end
}

function endOfRegExp(source: string, at: number): number {
  let inClass = false
  for (let end = at + 1; end < source.length; end++) {
    const char = source.charAt(end)
    if (char === '\\') end++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) return end + 1
  }
  return source.length
}

/** Returns false after a value, where a slash divides. */
function mayStartRegExp(before: string): boolean {
  const trimmed = before.trimEnd()
  return !/[\w$)\]}'"`]$/.test(trimmed) || /\b(return|typeof|case|in|of|throw|else|do|await)$/.test(trimmed)
}

function indexAfter(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from)
  return found === -1 ? source.length + 1 : found + mark.length
}

function spaces(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
