// Each rule of `npm run check -- prose` finds a planted error and accepts text without it.

import { describe, expect, it } from 'vitest'
import {
  COMMENT_WORDS,
  lineErrors,
  MARKDOWN_WORDS,
  measure,
  paragraphsOf,
  titlesOf,
} from '../../scripts/prose/prose.ts'
import { commentsOf } from '../support/reading/source-scan.ts'

const comment = (text: string) => measure([{ place: 'a.ts:1', text, longest: COMMENT_WORDS }])
const page = (text: string) => measure([{ place: 'a.md:1', text, longest: MARKDOWN_WORDS }])
const words = (count: number) => `Some ${'words '.repeat(count - 2)}end.`

describe('the function measure', () => {
  it.each([
    ['a comment that begins with What', 'What it does.', 'start'],
    ['a comment that begins with Whether', 'Whether it works.', 'start'],
    ['a comment that begins with Whoever', 'Whoever calls it.', 'start'],
    ['a comment that begins with Of', 'Of two, the first.', 'start'],
    ['a sentence of 21 words in a comment', `Fine. ${words(21)}`, 'long'],
    ['a word from the language of courts', 'Reads the verdict.', 'word'],
    ['a word that is used against its everyday meaning', 'The session hears the wallet.', 'word'],
    ['a pronoun of a person for a role', 'The issuer signs with his key.', 'word'],
  ])('reports %s', (_, text, kind) => {
    expect(comment(text).findings.map((finding) => finding.kind)).toContain(kind)
  })

  it('reports a sentence of 26 words in Markdown', () => {
    expect(page(words(26)).findings.map(({ kind }) => kind)).toEqual(['long'])
  })

  it('accepts plain comments and sentences of the allowed length', () => {
    expect(comment(`Returns the key. ${words(20)}`).findings).toEqual([])
    expect(page(`What is it? ${words(25)}`).findings).toEqual([])
  })

  it('counts inline code, links and addresses as one word', () => {
    const text = '`a b c` [two words](https://verifier.example/a) https://verifier.example/b'
    expect(page(`${text} ${words(21)}`).findings).toEqual([])
    expect(page(`${text} ${words(22)}`).findings).toHaveLength(1)
  })

  it('counts the paragraphs and sentences of comments', () => {
    expect(comment('One is here. Two is here.\n\nThree is here')).toMatchObject({ passages: 1, sentences: 3 })
  })
})

describe('commentsOf', () => {
  it('joins line comments, and finds doc comments and trailing comments', () => {
    const source = '// One.\n// Two.\n\n/** Three. */\nconst a = 1 // Four.\n// Five.\n/*\n * Six.\n */\n'
    expect(commentsOf(source)).toEqual([
      { line: 1, text: 'One.\nTwo.' },
      { line: 4, text: 'Three.' },
      { line: 5, text: 'Four.' },
      { line: 6, text: 'Five.' },
      { line: 7, text: 'Six.' },
    ])
  })

  it('finds no comment in strings, templates and regular expressions', () => {
    expect(commentsOf("const a = '// b' + `/* c */`\nconst d = /[/]/ // Real.\n")).toEqual([
      { line: 2, text: 'Real.' },
    ])
  })

  it('ignores comments that are instructions to tools', () => {
    expect(commentsOf('// biome-ignore lint/x: because\na()\n')).toEqual([])
  })
})

describe('paragraphsOf', () => {
  it('joins lines, separates list items, and leaves out code, tables and headings', () => {
    const text = '# A\n\nOne\nline.\n\n- item one\n- item two\n\n```\ncode\n```\n\n| a | b |\n'
    expect(paragraphsOf(text).map((each) => each.text)).toEqual(['One line.', 'item one', 'item two'])
  })
})

describe('titlesOf', () => {
  it('finds the titles of tests, suites and tables of cases', () => {
    const source = `describe("one", () => {\n  it('two', f)\n  it.each([[1], [2]])(\n    'three',\n    g,\n  )\n})`
    expect(titlesOf(source)).toEqual([
      { line: 1, text: 'one' },
      { line: 2, text: 'two' },
      { line: 3, text: 'three' },
    ])
  })
})

describe('lineErrors', () => {
  it('reports a line of 121 characters and a line of two sentences', () => {
    const text = `${'a'.repeat(121)}\n\nOne is. Two is.\n`
    expect(lineErrors(text)).toEqual([
      { line: 1, text: 'longer than 120 characters' },
      { line: 3, text: 'more than one sentence' },
    ])
  })

  it('accepts long tables, code blocks and link addresses', () => {
    const long = 'a'.repeat(121)
    expect(lineErrors(`| ${long}. Two. |\n\n\`\`\`\n${long}\n\`\`\`\n\n[a](${long})\n`)).toEqual([])
  })
})
