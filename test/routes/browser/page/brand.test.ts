import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStyle } from '../../../../src/routes/browser/page/assets.ts'
import { brandStyle, contrast, DARK_CARD, parse } from '../../../../src/routes/browser/page/brand.ts'

const GROUNDS = ['#ffffff', DARK_CARD]

/** Returns the colours that a style sets, in light and in dark mode. */
function coloursOf(color: string) {
  const found = [...brandStyle(color).matchAll(/--brand:(#[0-9a-f]{6});--on-brand:(#[0-9a-f]{6})/g)]
  return found.map(([, brand, ink]) => ({ brand: brand!, ink: ink! }))
}

describe('a colour of a relying party', () => {
  it('has a contrast that is computed as WCAG defines', () => {
    expect(contrast(parse('#000000'), parse('#ffffff'))).toBe(21)
    expect(contrast(parse('#777777'), parse('#ffffff'))).toBeCloseTo(4.48, 2)
    expect(contrast(parse('#ff0000'), parse('#ffffff'))).toBeCloseTo(4, 2)
  })

  it('is changed until it contrasts with the page and with the text on it', () => {
    const channel = fc.integer({ min: 0, max: 255 }).map((part) => part.toString(16).padStart(2, '0'))
    const hex = fc.tuple(channel, channel, channel).map((parts) => `#${parts.join('')}`)
    fc.assert(
      fc.property(hex, (color) => {
        coloursOf(color).forEach(({ brand, ink }, i) => {
          expect(contrast(parse(brand), parse(GROUNDS[i]!))).toBeGreaterThanOrEqual(3)
          expect(contrast(parse(brand), parse(ink))).toBeGreaterThanOrEqual(4.5)
        })
      }),
    )
  })

  it('does not change if it already has enough contrast', () => {
    expect(coloursOf('#7a1f3d')[0]).toEqual({ brand: '#7a1f3d', ink: '#ffffff' })
    expect(coloursOf('#ffee00')[1]).toEqual({ brand: '#ffee00', ink: '#000000' })
  })

  it('is compared with the background colour that the style sheet has in dark mode', async () => {
    const { text } = await readStyle(env.ASSETS, 'style.css')
    expect(text).toContain(`--card: ${DARK_CARD};`)
  })
})
