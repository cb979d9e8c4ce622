// Measures the prose of comments and Markdown: sentence length, first words and words that are not plain.
// The rules are those of CONTRIBUTING.md, section "Language".

/** A piece of prose: a comment or a paragraph. `longest`: the most words that one sentence may have. */
export type Passage = { readonly place: string; readonly text: string; readonly longest: number }

/** One finding: its kind, where it is and the text it is about. */
export type Finding = { readonly kind: Kind; readonly place: string; readonly text: string }

/**
 * `start`: a comment begins with a word of `STARTS`. `long`: a sentence has too many words. `word`: a word of
 * `WORDS`.
 */
export type Kind = 'start' | 'long' | 'word'

export type Report = {
  readonly passages: number
  readonly sentences: number
  readonly findings: readonly Finding[]
}

export const COMMENT_WORDS = 20
export const MARKDOWN_WORDS = 25

const STARTS = /^(What|Whether|Whoever|Of)\b/

/**
 * Words used against their everyday meaning, metaphors of the court and the household, and `he` for a role.
 */
const WORDS = [
  /\b(hears?|heard|hearing)\b/i,
  /\b(takes?|taken|took) (it |them |this )?for\b/i,
  /\b(held|holds?) to\b/i,
  /\b(owes?|owed|owing)\b/i,
  /\b(stands?|stood) (beside|in|on|behind|there|for|by|at|below|above)\b/i,
  /\b(tells?|told)\b(?! apart)/i,
  /\bknows? of\b/i,
  /\bhand(s|ed)? on\b/i,
  /\b(courtroom|verdict|whoever|nobody)\b/i,
  /\bto be had\b/i,
  /\b(he|his|him|himself)\b/i,
]

/** Measures passages. A finding is one comment start, one sentence or one word. */
export function measure(passages: readonly Passage[]): Report {
  const findings: Finding[] = []
  let sentences = 0
  for (const { place, text, longest } of passages) {
    const plain = withoutCode(text.replace(/^@\w+.*$/gm, '')) // tags such as @param are no sentences
    if (longest === COMMENT_WORDS && STARTS.test(plain)) findings.push({ kind: 'start', place, text: plain })
    for (const sentence of sentencesOf(plain)) {
      sentences += 1
      if (wordsOf(sentence) > longest) findings.push({ kind: 'long', place, text: sentence })
      for (const word of WORDS) {
        const found = word.exec(sentence)
        if (found !== null) findings.push({ kind: 'word', place, text: `"${found[0]}" in: ${sentence}` })
      }
    }
  }
  return { passages: passages.length, sentences, findings }
}

/**
 * Paragraphs and list items of a Markdown page, without code blocks, tables, headings, pictures and
 * addresses.
 */
export function paragraphsOf(markdown: string): readonly { readonly line: number; readonly text: string }[] {
  const paragraphs: { line: number; text: string }[] = []
  let open = false
  for (const [index, line] of proseLines(markdown).entries()) {
    const isItem = /^\s*([-*+]|\d+\.)\s/.test(line)
    if (line.trim() === '') open = false
    else if (open && !isItem)
      Object.assign(paragraphs.at(-1) ?? {}, { text: `${paragraphs.at(-1)?.text} ${line.trim()}` })
    else {
      paragraphs.push({ line: index + 1, text: line.replace(/^\s*([-*+>]|\d+\.)\s+/, '').trim() })
      open = true
    }
  }
  return paragraphs
}

/**
 * Lines of a Markdown page that are too long or hold more than one sentence. Tables, code and link addresses
 * are left out.
 */
export function lineErrors(
  markdown: string,
  longest = 120,
): readonly { readonly line: number; readonly text: string }[] {
  return proseLines(markdown).flatMap((line, index) => {
    const isLong = line.replace(/\]\([^)]*\)/g, ']()').length > longest
    const isSeveral = sentencesOf(withoutCode(line.replace(/^\s*([-*+>]|\d+\.)\s+/, ''))).length > 1
    const text = isLong ? `longer than ${longest} characters` : 'more than one sentence'
    return isLong || isSeveral ? [{ line: index + 1, text }] : []
  })
}

/** The titles of a test file: the first argument of `describe`, `it` and `test`, also after `each`. */
export function titlesOf(source: string): readonly { readonly line: number; readonly text: string }[] {
  const titles = source.matchAll(/(?:\b(?:describe|it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,/g)
  return [...titles].map(({ index, 2: text = '' }) => ({
    line: source.slice(0, index).split('\n').length,
    text,
  }))
}

/**
 * The lines of a page. Lines that are not prose are empty: tables, code, headings, and the date line of a
 * decision.
 */
function proseLines(markdown: string): readonly string[] {
  let fence: string | undefined
  return markdown.split('\n').map((line) => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1]
    if (mark !== undefined) {
      fence = fence === undefined ? mark : fence === mark ? undefined : fence
      return ''
    }
    const isProse = fence === undefined && !/^\s*(\||#|<|!\[|\[[^\]]+\]: | {4}\S|Date: )/.test(line)
    return isProse ? line : ''
  })
}

/** Inline code is one word, a link is its text. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/\S+/g, 'ADDRESS')
}

/**
 * A sentence ends with a full stop, a question mark or a colon at the end of a line. A blank line ends a
 * sentence, too.
 */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?]["”)*_]*)\s+(?=["“(*_]*[A-Z0-9])|\n\s*\n|\n(?=\s*[-*] )/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => /[A-Za-z]{2}/.test(sentence))
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length
}
