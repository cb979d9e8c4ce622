// The table of docs/cost.md, from the model that `npm run proof -- bench` prints.

import { priceOfAMillion, totalOf } from '../../bench/price.ts'

export function describeCost(): string {
  const [listed, unlisted] = [priceOfAMillion('default'), priceOfAMillion('index: false')]
  const rows = listed.map(({ name, uses, priceOfAMillionUses, dollars }, i) => {
    const without = unlisted[i] ?? { uses: 0, dollars: 0 }
    const price = `$${short(priceOfAMillionUses)}`
    return `| ${name} | ${price} | ${short(uses)} | ${inDollars(dollars)} | ${short(without.uses)} | ${inDollars(without.dollars)} |`
  })
  return [
    '| what | a million of it | one verification | a million | one with `index: false` | a million |',
    '|---|---|---|---|---|---|',
    ...rows,
    `| **in all** | | | **${inDollars(totalOf(listed))}** | | **${inDollars(totalOf(unlisted))}** |`,
  ].join('\n')
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function inDollars(value: number): string {
  return `$${value.toFixed(2)}`
}
