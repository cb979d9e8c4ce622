// A relying party's colour on our pages: shaded until it stands out from the page (WCAG 2.2, 1.4.11: 3 to 1), in the light and in
// the dark, and under the text that reads best on it, which is 4.5 to 1 or better on any colour (1.4.3).

/** The style that sets both. `color`: `#rrggbb`, as the settings schema has it. */
export function brandStyle(color: string): string {
  const light = rule(shade(parse(color), WHITE, BLACK))
  const dark = rule(shade(parse(color), parse(DARK_CARD), WHITE))
  return `${light}@media (prefers-color-scheme:dark){${dark}}`
}

/** What lies under it in the dark (style.ts). */
export const DARK_CARD = '#191d23'

/** Red, green and blue, 0 to 255. */
type Colour = readonly number[]

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
const STEPS = 20

function rule(colour: Colour): string {
  const ink = contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK
  return `:root{--brand:${write(colour)};--on-brand:${write(ink)}}`
}

/** Moves a colour away from the ground by as little as is enough. */
function shade(colour: Colour, ground: Colour, away: Colour): Colour {
  for (let step = 0; step < STEPS; step += 1) {
    const shaded = colour.map((part, i) => Math.round(part + (((away[i] ?? 0) - part) * step) / STEPS))
    if (contrast(shaded, ground) >= 3) return shaded
  }
  return away
}

/** WCAG 2.2, contrast ratio. */
export function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, relative luminance. */
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

function write(colour: Colour): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
