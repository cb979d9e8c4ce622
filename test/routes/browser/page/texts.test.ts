import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import ENGLISH from '../../../../assets/texts/en.json' with { type: 'json' }
import { type CountedText, fillCount, textsIn } from '../../../../src/routes/browser/page/texts.ts'
import { LANGUAGES } from '../../../../src/session/views/page-language.ts'

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

type Leaf = string | boolean | CountedText

/** Returns every text by its path. A text about a number is one text with several forms. */
function textsOf(value: unknown, path = ''): Record<string, Leaf> {
  if (typeof value !== 'object' || isCounted(value)) return { [path]: value as Leaf }
  const members = Object.entries(value as object).map(([name, member]) => textsOf(member, `${path}/${name}`))
  return Object.assign({}, ...members)
}

const isCounted = (value: unknown): value is CountedText =>
  typeof value === 'object' && value !== null && 'one' in value && 'other' in value

const formsOf = (text: Leaf): readonly string[] => (isCounted(text) ? Object.values(text) : [String(text)])

const placeholdersOf = (text: string) =>
  [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort()

/** A longer text needs another wording: the page has the space of a phone. */
const longest = (english: Leaf) => Math.max(...formsOf(english).map((text) => 2 * text.length + 20))

async function fileOf(language: string): Promise<Record<string, Leaf>> {
  return textsOf(await (await env.ASSETS.fetch(`https://assets/texts/${language}.json`)).json())
}

describe.each(OTHERS)('the texts in %s', (language) => {
  it('have the members and placeholders of the English texts, and no text is empty or too long', async () => {
    const english = textsOf(ENGLISH)
    const texts = await fileOf(language)
    expect(Object.keys(texts)).toEqual(Object.keys(english))
    for (const [path, text] of Object.entries(texts))
      for (const form of formsOf(text)) {
        expect([path, placeholdersOf(form)]).toEqual([path, placeholdersOf(formsOf(english[path]!)[0]!)])
        expect(form.trim()).toBe(form)
        expect(form).not.toBe('')
        expect(form.length, `${path}: ${form}`).toBeLessThanOrEqual(longest(english[path]!))
      }
  })

  it('have exactly the plural categories of the language', async () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const counted = Object.values(await fileOf(language)).filter(isCounted)
    expect(counted.length).toBeGreaterThan(0)
    for (const text of counted) expect(Object.keys(text).sort()).toEqual([...pluralCategories].sort())
  })

  it('are read from the file of the language', async () => {
    expect(textsOf(await textsIn(env.ASSETS, language))).toEqual(await fileOf(language))
    expect((await textsIn(env.ASSETS, language)).language).toBe(language)
  })
})

describe('a file of texts', () => {
  /** Serves the English file, and `respond` for every other. */
  const assetsWith = (respond: () => Promise<Response>) => ({
    fetch: (address: RequestInfo | URL) =>
      String(address).endsWith('/en.json') ? env.ASSETS.fetch(address) : respond(),
  })
  const fileWith = (body: string, status = 200) => assetsWith(async () => new Response(body, { status }))

  it.each([
    ['is missing', fileWith('', 404)],
    ['is not JSON', fileWith('{')],
    ['cannot be reached', assetsWith(() => Promise.reject(new Error('no such service')))],
  ])(
    'a file of texts that %s is replaced by the English texts, and the next page tries to read it again',
    async (_, assets) => {
      vi.spyOn(console, 'error').mockReturnValue()
      expect(await textsIn(assets, 'de')).toEqual(ENGLISH)
      assets.fetch = fileWith(JSON.stringify({ ...ENGLISH, language: 'de' })).fetch
      expect((await textsIn(assets, 'de')).language).toBe('de')
    },
  )

  it.each([
    ['a missing text', { yes: undefined }],
    ['a number in place of a text', { yes: 7 }],
    ['null in place of a table', { states: null }],
    ['a text without the form for other numbers', { ageScope: { one: '{age}' } }],
  ])(
    'a file of texts with %s is replaced by the English texts, so a page has one language',
    async (_, change) => {
      const complete = { ...ENGLISH, language: 'de', closePage: 'Zu.' }
      expect((await textsIn(fileWith(JSON.stringify(complete)), 'de')).closePage).toBe('Zu.')
      expect(await textsIn(fileWith(JSON.stringify({ ...complete, ...change })), 'de')).toEqual(ENGLISH)
    },
  )
})

describe('a text about a number', () => {
  it.each([
    ['pl', 18, 'wiek: co najmniej 18 lat'],
    ['pl', 22, 'wiek: co najmniej 22 lata'],
    ['sl', 3, 'starost: vsaj 3 leta'],
    ['lt', 21, 'amžius: bent 21 metai'],
    ['lt', 18, 'amžius: bent 18 metų'],
    ['mt', 18, 'età: mill-inqas 18-il sena'],
    ['mt', 21, 'età: mill-inqas 21 sena'],
    ['ga', 18, 'aois: 18 nó níos sine'],
    ['ro', 18, 'vârsta: cel puțin 18 ani'],
    ['ro', 65, 'vârsta: cel puțin 65 de ani'],
    ['de', 1, 'Alter: mindestens 1 Jahr'],
  ] as const)('has the plural form of its language: %s, %d', async (language, age, expected) => {
    const texts = await textsIn(env.ASSETS, language)
    expect(fillCount(texts.ageScope, 'age', age, texts)).toBe(expected)
  })

  it('has the form `other` if its own plural form is missing, and has the digits of the language', () => {
    const arabic = { ...ENGLISH, language: 'ar-EG' }
    expect(fillCount({ other: '{age} سنة' }, 'age', 18, arabic)).toBe('١٨ سنة')
  })
})
