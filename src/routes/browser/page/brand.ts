// A relying party's colour on our pages, in a shade for light mode and a shade for dark mode. The contrast
// with the page is at least 3 to 1 (WCAG 2.2, 1.4.11). Text on the colour is black or white. The contrast of
// this text is at least 4.5 to 1 (1.4.3).

/** Returns the style for light and dark mode. `color`: `#rrggbb`, as in the settings schema. */
export function brandStyle(color: string): string {
  const light = rule(shade(parse(color), WHITE, BLACK))
  const dark = rule(shade(parse(color), parse(DARK_CARD), WHITE))
  return `${light}@media (prefers-color-scheme:dark){${dark}}`
}

/** Background of the card that contains the page's content, in dark mode (assets/page/style.css). */
export const DARK_CARD = '#191d23'

/** Red, green and blue, 0 to 255. */
type Colour = readonly number[]

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
const STEPS = 20

function rule(colour: Colour): string {
  const ink = contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK
  return `:root{--brand:${format(colour)};--on-brand:${format(ink)}}`
}

/**
 * Returns the first shade from `colour` to `target` that has a contrast of 3 to 1 with the background.
 * Returns `target` if no shade has this contrast.
 */
function shade(colour: Colour, background: Colour, target: Colour): Colour {
  const shades = Array.from({ length: STEPS }, (_, step) =>
    colour.map((part, i) => Math.round(part + (((target[i] ?? 0) - part) * step) / STEPS)),
  )
  return shades.find((shaded) => contrast(shaded, background) >= 3) ?? target
}

/** Contrast ratio of two colours (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Relative luminance of a colour (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function parse(color: string): Colour {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function format(colour: Colour): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
