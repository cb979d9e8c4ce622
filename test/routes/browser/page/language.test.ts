import { describe, expect, it } from 'vitest'
import { chooseLanguage } from '../../../../src/routes/browser/page/language.ts'

describe('the language of a page', () => {
  it.each([
    ['that the session names, whatever the browser likes', 'fr-CA', 'de', 'fr'],
    ['that the session names in capitals', 'IT', undefined, 'it'],
    [
      'that the browser likes best where the session names one that is not spoken',
      'pl',
      'de-AT,en;q=0.5',
      'de',
    ],
    ['that the browser likes best', null, 'es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['with the highest weight, wherever it stands', null, 'en;q=0.2, it;q=0.9, de;q=0.5', 'it'],
    ['that stands first of equals', null, 'nl, fr, de', 'fr'],
    ['that is not refused', null, 'de;q=0, fr;q=0.1', 'fr'],
    ['English, where none is spoken', null, 'nl-BE, *;q=0.5', 'en'],
    ['English, where nothing is said', null, undefined, 'en'],
    ['English, where nonsense is said', null, ';;q=,,de;q=7,\u00e4;;', 'en'],
    ['English, where the header goes on without end', null, `${'x,'.repeat(300)}de`, 'en'],
  ])('is the one %s', (_, locale, header, language) => {
    expect(chooseLanguage(locale, header)).toBe(language)
  })
})
