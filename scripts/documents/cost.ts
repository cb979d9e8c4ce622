// The table of docs/cost.md, from the model that `npm run bench` prints.

import { priceOfAMillion } from '../../bench/price.ts'

export function describeCost(): string {
  const items = priceOfAMillion()
  const total = items.reduce((sum, { dollars }) => sum + dollars, 0)
  return [
    '| what | in one verification | a million of it | a million verifications | share |',
    '|---|---|---|---|---|',
    ...items.map(
      ({ name, uses, priceOfAMillionUses, dollars }) =>
        `| ${name} | ${Number(uses.toPrecision(3))} | $${Number(priceOfAMillionUses.toPrecision(3))} | $${dollars.toFixed(2)} | ${Math.round((100 * dollars) / total)} % |`,
    ),
    `| **in all** | | | **$${total.toFixed(2)}** | |`,
  ].join('\n')
}
