import { describe, expect, it } from 'vitest'
import { encodeSvg } from '../../src/qr/svg.ts'
import { buildSymbol, type QrSymbol } from '../../src/qr/symbol.ts'

const TEXT = 'openid4vp://?request_uri=https://verifier.example.com/r/1'

function symbolOf(size: number): QrSymbol {
  const built = buildSymbol(TEXT, size)
  if (!built.ok) throw new Error(built.error)
  return built.value
}

/** Rectangles of the path, in modules. The whole document must have the expected shape, or there are none. */
function rectangles(svg: string) {
  const path =
    /<path transform="translate\((\d+) \1\) scale\((\d+)\)" d="((?:M\d+ \d+h\d+v1h-\d+z)+)"\/>/.exec(svg)
  const steps = [...(path?.[3] ?? '').matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)]
  return {
    offset: Number(path?.[1]),
    scale: Number(path?.[2]),
    runs: steps.map(([, x, y, width, back]) => ({
      x: Number(x),
      y: Number(y),
      width: Number(width),
      back: Number(back),
    })),
  }
}

describe('an SVG', () => {
  it.each([160, 320, 1024])(
    'an SVG of %i pixels draws exactly the dark modules, at their places in the layout',
    (size) => {
      const symbol = symbolOf(size)
      const { offset, scale, runs } = rectangles(encodeSvg(symbol))
      const drawn = symbol.modules.map((row) => row.map(() => false))
      for (const { x, y, width, back } of runs) {
        expect(back).toBe(width)
        drawn[y]?.fill(true, x, x + width)
      }
      expect(drawn).toEqual(symbol.modules)
      expect([offset, scale]).toEqual([symbol.offset, symbol.modulePixels])
    },
  )

  it('draws every dark module once', () => {
    const symbol = symbolOf(320)
    const { runs } = rectangles(encodeSvg(symbol))
    const area = runs.reduce((sum, { width }) => sum + width, 0)
    expect(area).toBe(symbol.modules.flat().filter(Boolean).length)
  })

  it('has its size, a view box of the same size, a white background and crisp edges', () => {
    const svg = encodeSvg(symbolOf(321))
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="321" height="321" viewBox="0 0 321 321" shape-rendering="crispEdges"><rect width="321" height="321" fill="#fff"\/><path [^<>]*\/><\/svg>$/,
    )
  })
})
