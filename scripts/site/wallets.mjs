// A page for each wallet, from the rows about it in docs/wallets.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../service/paths.mjs'
import { page, tableOf, tablesOf } from './markdown.mjs'

/** Pages of wallets with more to say. */
const OWN_PAGES = { 'apple-wallet': '/apple-wallet.md', 'google-wallet': '/google-wallet.md' }

/** Headings of docs/wallets.md that need other words on the page of one wallet. */
const HEADINGS = {
  'Which wallet can answer': 'Questions that it can answer',
  Why: 'What is left out, or why it cannot answer',
  'What a wallet discloses without a choice': 'What it discloses without a choice',
}

/** Returns the group of pages. */
export function walletPages() {
  const text = readFileSync(join(ROOT, 'docs', 'wallets.md'), 'utf8')
  const tables = tablesOf(text)
  const [matrix] = tables
  const legend = tables.find(({ head }) => head[0] === 'word')
  const wallets = matrix.rows.map(([cell]) => /^(.+) \(`(.+)`\)$/.exec(cell).slice(1))
  const pages = wallets.map(([name, id]) => walletPage({ name, id, tables, legend }))
  return { text: 'Wallets', folder: 'wallets', pages }
}

function walletPage({ name, id, tables, legend }) {
  const own = (one) => one.rows.filter(([cell]) => cell === name || cell === `${name} (\`${id}\`)`)
  const parts = tables.flatMap((one) => {
    const rows = own(one)
    return rows.length === 0 ? [] : [{ ...one, rows }]
  })
  return page({
    path: `wallets/${id}.md`,
    title: name,
    description: `Verify credentials from ${name} with OpenID4VP: questions it can answer, and what it needs.`,
    blocks: [
      `# ${name}`,
      `This page has what is known about verifying a credential from ${name}. Its id in the API is \`${id}\`.`,
      ...(OWN_PAGES[id] ? [`[Every step to the first response](${OWN_PAGES[id]})`] : []),
      ...parts.flatMap((part) => [`## ${HEADINGS[part.heading] ?? part.heading}`, factsOf(part)]),
      '## Words',
      tableOf(legend.head, legend.rows),
      'No device was used: [how this is known](/wallets.md).',
    ],
  })
}

/** Returns one row as a list of facts, and several rows as a table without the name of the wallet. */
function factsOf({ head, rows }) {
  if (rows.length > 1)
    return tableOf(
      head.slice(1),
      rows.map((row) => row.slice(1)),
    )
  const [row] = rows
  if (head.length === 2) return `${row[1].charAt(0).toUpperCase()}${row[1].slice(1)}.`
  return tableOf(
    ['question', 'answer'],
    head.slice(1).map((name, i) => [name, row[i + 1]]),
  )
}
