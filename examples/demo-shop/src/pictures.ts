// The shop's pictures as inline SVG.

import { html } from 'hono/html'
import type { Look } from './goods.ts'
import type { Markup } from './page.ts'

/** Draws a bottle. Its name is in the text beside it. */
export function bottle({ shape, glass, label, mark }: Look): Markup {
  const { body, cap, paper } = SHAPES[shape]
  const [x, y, width, height] = paper
  const middle = y + height / 2
  return html`<svg class="bottle" viewBox="0 0 120 240" aria-hidden="true" focusable="false">
<ellipse cx="60" cy="230" rx="34" ry="5" fill="#000" opacity=".14"/>
<path class="glass" d="${body}" fill="${glass}"/>
<path d="${cap}" fill="${mark}"/>
<path d="M${x + 6} 118c-2 30-2 70 0 98" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" opacity=".22"/>
<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="3" fill="${label}"/>
<path d="M${x + 8} ${y + 10}h${width - 16}M${x + 8} ${y + height - 10}h${width - 16}" stroke="${mark}" stroke-width="1.5"/>
${EMBLEMS[shape](mark, middle)}
</svg>`
}

/** Draws the shop's sign: the end of a barrel. */
export function sign(): Markup {
  return html`<svg class="sign" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
<circle cx="24" cy="24" r="22" fill="#8a2444"/>
<circle cx="24" cy="24" r="17.5" fill="none" stroke="#f6ecd9" stroke-width="2"/>
<path d="M17 8v32M24 6.5v35M31 8v32" stroke="#f6ecd9" stroke-width="1.25" opacity=".45"/>
<circle cx="24" cy="24" r="5.5" fill="#f6ecd9"/>
</svg>`
}

type Shape = {
  readonly body: string
  readonly cap: string
  /** x, y, width and height of the label. */
  readonly paper: readonly [number, number, number, number]
}

const SHAPES: Readonly<Record<Look['shape'], Shape>> = {
  wine: {
    body: 'M50 24h20v50c0 16 18 18 18 38v110c0 5-3 8-8 8H40c-5 0-8-3-8-8V112c0-20 18-22 18-38z',
    cap: 'M49 10h22c1.5 0 2 1 2 2v30H47V12c0-1 .5-2 2-2z',
    paper: [32, 132, 56, 66],
  },
  flute: {
    body: 'M52 22h16c0 44 18 62 18 96v104c0 5-3 8-8 8H42c-5 0-8-3-8-8V118c0-34 18-52 18-96z',
    cap: 'M51 8h18c1 0 2 1 2 2v34c-7 3-15 3-22 0V10c0-1 1-2 2-2z',
    paper: [34, 140, 52, 58],
  },
  beer: {
    body: 'M51 52h18v32c0 18 17 20 17 42v96c0 5-3 8-8 8H42c-5 0-8-3-8-8v-96c0-22 17-24 17-42z',
    cap: 'M47 42l2-4h22l2 4v10l-3 3-3-3-3 3-4-3-4 3-3-3-3 3-3-3z',
    paper: [34, 140, 52, 56],
  },
  juice: {
    body: 'M46 62h28v14c0 10 16 14 16 30v116c0 5-3 8-8 8H38c-5 0-8-3-8-8V106c0-16 16-20 16-30z',
    cap: 'M44 44h32c2 0 3 1 3 3v15H41V47c0-2 1-3 3-3z',
    paper: [30, 128, 60, 68],
  },
}

/** Emblem of the label, drawn around a vertical middle. */
const EMBLEMS: Readonly<Record<Look['shape'], (ink: string, middle: number) => Markup>> = {
  wine: (ink, middle) => html`<circle cx="60" cy="${middle}" r="14" fill="${ink}"/>
<circle cx="66" cy="${middle - 4}" r="11.5" fill="#f6ecd9"/>`,
  flute: (ink, middle) => html`<circle cx="60" cy="${middle}" r="7" fill="${ink}"/>
<path d="M60 ${middle - 15}v5M60 ${middle + 10}v5M45 ${middle}h5M70 ${middle}h5M49.5 ${middle - 10.5}l3.5 3.5M67 ${middle + 7}l3.5 3.5M70.5 ${middle - 10.5}l-3.5 3.5M53 ${middle + 7}l-3.5 3.5" stroke="${ink}" stroke-width="2.5" stroke-linecap="round"/>`,
  beer: (ink, middle) => html`<path d="M44 ${middle - 9}h24l8 9-8 9H44z" fill="${ink}"/>
<path d="M50 ${middle}h6M60 ${middle}h2" stroke="#f3e3c3" stroke-width="3" stroke-linecap="round"/>`,
  juice: (ink, middle) => html`<circle cx="60" cy="${middle + 3}" r="13" fill="#c8372d"/>
<path d="M60 ${middle - 7}c0-5 2-8 5-10" fill="none" stroke="#5a3a1a" stroke-width="2.5" stroke-linecap="round"/>
<path d="M62 ${middle - 11}c4-6 10-6 13-4-2 5-8 7-13 4z" fill="${ink}"/>`,
}
