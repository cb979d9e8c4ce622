import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import ENGLISH from '../../../../assets/texts/en.json' with { type: 'json' }
import { textsIn } from '../../../../src/routes/browser/page/texts.ts'
import { LANGUAGES } from '../../../../src/session/views/page-language.ts'

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

/** Returns every text by its path. */
function textsOf(value: unknown, path = ''): Record<string, string> {
  if (typeof value === 'string') return { [path]: value }
  const members = Object.entries(value as object).map(([name, member]) => textsOf(member, `${path}/${name}`))
  return Object.assign({}, ...members)
}

const placeholdersOf = (text: string) =>
  [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort()

async function fileOf(language: string): Promise<Record<string, string>> {
  return textsOf(await (await env.ASSETS.fetch(`https://assets/texts/${language}.json`)).json())
}

describe.each(OTHERS)('the texts in %s', (language) => {
  it('have the members and placeholders of the English texts, and no text is empty', async () => {
    const english = textsOf(ENGLISH)
    const texts = await fileOf(language)
    expect(Object.keys(texts)).toEqual(Object.keys(english))
    for (const [path, text] of Object.entries(texts)) {
      expect([path, placeholdersOf(text)]).toEqual([path, placeholdersOf(english[path]!)])
      expect(text.trim()).toBe(text)
      expect(text).not.toBe('')
    }
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
    'that %s is replaced by the English texts, and the next page tries to read it again',
    async (_, assets) => {
      vi.spyOn(console, 'error').mockReturnValue()
      expect(await textsIn(assets, 'de')).toEqual(ENGLISH)
      assets.fetch = fileWith('{"language":"de"}').fetch
      expect((await textsIn(assets, 'de')).language).toBe('de')
    },
  )

  it('with missing members is completed from the English texts, and its unknown members are ignored', async () => {
    const texts = await textsIn(fileWith('{"yes":"ja","no":7,"states":null,"extra":"x"}'), 'de')
    expect(texts).toEqual({ ...ENGLISH, yes: 'ja' })
  })
})
