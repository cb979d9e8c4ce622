// SVG of a symbol: one path over a white background, in the same geometry as the PNG of the same size.

import type { QrSymbol } from './symbol.ts'

/** Returns the SVG document of `size` × `size` pixels. The picture scales without blur. */
export function encodeSvg(symbol: QrSymbol): string {
  const { size, offset, modulePixels } = symbol
  const place = `translate(${offset} ${offset}) scale(${modulePixels})`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<rect width="${size}" height="${size}" fill="#fff"/>`,
    `<path transform="${place}" d="${outline(symbol.modules)}"/>`,
    '</svg>',
  ].join('')
}

/** Returns the path data: one rectangle, one module high, for each horizontal run of dark modules. */
function outline(modules: QrSymbol['modules']): string {
  const runs = modules.flatMap((row, y) => {
    const starts = row.flatMap((dark, x) => (dark && !row[x - 1] ? [x] : []))
    return starts.map((x) => {
      const light = row.indexOf(false, x)
      const width = (light === -1 ? row.length : light) - x
      return `M${x} ${y}h${width}v1h-${width}z`
    })
  })
  return runs.join('')
}
