import { describe, expect, it } from 'vitest'
import {
  chooseLanguage,
  chooseLocale,
  ownTextAttributes,
  readDirection,
} from '../../../../src/routes/browser/page/language.ts'
import { findPageLanguage } from '../../../../src/session/views/page-language.ts'

describe('the language of a page', () => {
  it.each([
    ['the session’s, whatever the browser prefers', 'fr-CA', 'de', 'fr'],
    ['the session’s, also in capitals', 'IT', undefined, 'it'],
    ['the browser’s if the session’s language has no texts', 'uk', 'de-AT,en;q=0.5', 'de'],
    ['the browser’s if the session has none', null, 'es-MX,es;q=0.9,en;q=0.8', 'es'],
    [
      'the one with the highest weight, at any place in the header',
      null,
      'en;q=0.2, it;q=0.9, de;q=0.5',
      'it',
    ],
    ['the first one among equal weights', null, 'nb, fr, de', 'fr'],
    ['never one with the weight 0', null, 'de;q=0, fr;q=0.1', 'fr'],
    ['English if no preferred language has texts', null, 'nb-NO, *;q=0.5', 'en'],
    ['the next preferred one, not a similar language', null, 'nb, sv;q=0.5, da;q=0.4', 'sv'],
    ['the language of the tag without its region', null, 'pt-BR, en;q=0.5', 'pt'],
    ['English if there is no preference', null, undefined, 'en'],
    ['English if the header is malformed', null, ';;q=,,de;q=7,\u00e4;;', 'en'],
    ['English if the header is too long', null, `${'x,'.repeat(300)}de`, 'en'],
  ])('is %s', (_, locale, header, language) => {
    expect(chooseLanguage(locale, header)).toBe(language)
  })
})

describe('the language of a locale', () => {
  it.each([
    ['de-AT', 'de'],
    ['fr-Latn-CA', 'fr'],
    ['IT', 'it'],
    ['pt-BR', 'pt'],
    ['sr-Latn-RS', null],
    ['nb', null],
    ['den', null],
    [null, null],
  ])('is the first part of the tag if the service has texts in that language: %s', (locale, language) => {
    expect(findPageLanguage(locale)).toBe(language)
  })

  it.each([
    ['de', 'de-CH', 'de-CH'],
    ['de', 'fr-CH', 'de'],
    ['de', null, 'de'],
    ['de', 'de-1', 'de'],
  ])(
    'a page in the language %s for a session with the locale %s has the number format of the locale %s',
    (language, locale, numbers) => {
      expect(chooseLocale(language, locale)).toBe(numbers)
    },
  )
})

describe('the direction of a page', () => {
  it.each([
    ['ar', 'rtl'],
    ['mt', 'ltr'],
    ['bg', 'ltr'],
  ])('the direction of a page in the language %s is %s', (language, direction) => {
    expect(readDirection(language)).toBe(direction)
  })
})

describe("a text in the relying party's words", () => {
  it.each([
    ['nl', 'ltr'],
    ['ar', 'rtl'],
    ['he-IL', 'rtl'],
    ['fa', 'rtl'],
    ['ckb', 'rtl'],
    ['az-Arab', 'rtl'],
    ['az', 'ltr'],
    ['zh-Hant', 'ltr'],
  ])('has the language %s and the direction %s', (locale, dir) => {
    expect(ownTextAttributes(locale)).toEqual({ lang: locale, dir })
  })

  it.each([null, 'de-1'])('has the direction of its own letters if its language is unknown: %s', (locale) => {
    expect(ownTextAttributes(locale)).toEqual({ lang: '', dir: 'auto' })
  })
})
