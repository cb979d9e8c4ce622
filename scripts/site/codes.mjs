// A page for each reason and each error code, from the rows of docs/statuses-and-reasons.md and of
// docs/api/logins.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles } from '../release/source.mjs'
import { ROOT } from '../service/paths.mjs'
import { page, tableOf, tablesOf, titleOf } from './markdown.mjs'

const SOURCE = '/statuses-and-reasons'

/** Returns groups of pages: reasons, problems of a refused call, errors of wallets, and errors of logins. */
export function codePages() {
  const text = readFileSync(join(ROOT, 'docs', 'statuses-and-reasons.md'), 'utf8')
  const tables = tablesOf(text)
  const words = Object.fromEntries(tables.find(({ head }) => head[0] === 'word').rows)
  const mentions = mentionsIn(
    sourceFiles(':(glob)docs/*.md', ':(glob)docs/{api,runbooks}/*.md', 'docs/api', 'docs/runbooks'),
  )
  const reasons = tables
    .filter(({ head }) => head.includes('becomes'))
    .flatMap(({ heading, rows }) =>
      rows.map((row) =>
        reasonPage(row, { family: heading, about: aboutFamily(text, heading), words, mentions }),
      ),
    )
  const problems = rowsWith(tables, 'title').map((row) => problemPage(row, mentions))
  const walletErrors = rowsWith(tables, '`error_description`')
  const names = new Set(walletErrors.map(([, code]) => bare(code)))
  return [
    { text: 'Reasons', folder: 'reasons', pages: reasons },
    { text: 'Errors of the API', folder: 'errors', pages: problems },
    {
      text: 'Errors of wallets',
      folder: 'wallet-errors',
      pages: [...names].map((name) =>
        walletErrorPage(
          name,
          walletErrors.filter(([, code]) => bare(code) === name),
        ),
      ),
    },
    { text: 'Errors of logins', folder: 'login-errors', pages: loginErrorPages(mentions) },
  ]
}

/** A row of the table may name several codes. */
function loginErrorPages(mentions) {
  const text = readFileSync(join(ROOT, 'docs', 'api', 'logins.md'), 'utf8')
  return rowsWith(tablesOf(text), 'error at the client').flatMap(([codes, when]) =>
    codes.split(', ').map((code) => loginErrorPage(bare(code), when, mentions)),
  )
}

function rowsWith(tables, column) {
  return tables.find(({ head }) => head.includes(column)).rows
}

/** Returns the sentence below the heading of a family. */
function aboutFamily(text, family) {
  return new RegExp(`^### ${family}\\n\\n([\\s\\S]+?)\\n\\n`, 'm').exec(text)?.[1] ?? ''
}

function reasonPage(
  [code, message, retryable, becomes, walletGets, advice],
  { family, about, words, mentions },
) {
  const name = bare(code)
  const spoken = name.replaceAll('_', ' ')
  return page({
    path: `reasons/${name}.md`,
    title: name,
    description: `${name} (${spoken}) in OpenID4VP: ${message}. What it means, and what a verifier does.`,
    blocks: [
      `# ${sentence(spoken)} (\`${name}\`)`,
      `**${message}**`,
      becomes === 'attempt'
        ? `A response of a wallet was refused for the reason ${code}. The verification stays \`pending\`, and a later good response succeeds.`
        : `A verification ended as ${becomes} for the reason ${code}.`,
      '## What you do',
      words[advice] ?? advice,
      '## Facts',
      tableOf(
        ['question', 'answer'],
        [
          ['May another try of the same person succeed?', retryable],
          ['What does the wallet get?', `HTTP ${walletGets}`],
          ['Which check found it?', `${family}: ${about.replaceAll('\n', ' ')}`],
        ],
      ),
      '## Reproduce it',
      'In test mode the test wallet sends a response with this error, for the address of the request:',
      `\`\`\`console\nnpm run wallet -- --reason ${name} '<wallet_request.uri>'\n\`\`\``,
      ...seeAlso(name, mentions),
    ],
  })
}

function problemPage([status, code, title, retryable, meaning], mentions) {
  const name = bare(code)
  return page({
    path: `errors/${name}.md`,
    title: name,
    description: `HTTP ${status} ${name}: ${title}. What the error means, and how to mend the call.`,
    blocks: [
      `# ${title} (\`${name}\`)`,
      `A call of yours was refused with HTTP **${status}**, and the \`code\` of the problem is ${code}.`,
      '## What it means',
      meaning,
      retryable === 'yes'
        ? 'The same request may succeed later. `Retry-After` says when, if it is there.'
        : 'The same request will fail again.',
      ...seeAlso(name, mentions),
    ],
  })
}

function walletErrorPage(code, rows) {
  return page({
    path: `wallet-errors/${code}.md`,
    title: code,
    description: `${code}: what a wallet gets from a verifier of OpenID4VP at request_uri and at response_uri.`,
    blocks: [
      `# Wallets get \`${code}\``,
      'At `request_uri` and at `response_uri` a wallet gets an error of OAuth with this `error`.',
      tableOf(
        ['HTTP status', '`error_description`'],
        rows.map(([status, , text]) => [status, text]),
      ),
      'The error contains only what the person can use.',
      `The verifier reads the reason from the verification: [all reasons](${SOURCE}#reasons).`,
    ],
  })
}

function loginErrorPage(code, when, mentions) {
  const spoken = code.replaceAll('_', ' ')
  return page({
    path: `login-errors/${code}.md`,
    title: `${code} at a login`,
    description: `${code} (${spoken}) from an OpenID Connect login with a wallet: ${when.replaceAll('`', '')}.`,
    blocks: [
      `# ${sentence(spoken)} (\`${code}\`)`,
      `A login by OpenID Connect ended at the client with \`error=${code}\`.`,
      '## When',
      `${sentence(when)}.`,
      ...seeAlso(code, mentions),
    ],
  })
}

/** Returns for each code in backticks the pages that name it. */
function mentionsIn(paths) {
  const found = new Map()
  for (const path of paths) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const address = path.slice('docs'.length).replace(/README\.md$/, 'index.md')
    for (const code of new Set([...text.matchAll(/`([a-z]+(?:_[a-z0-9]+)+)`/g)].map(([, name]) => name)))
      found.set(code, [...(found.get(code) ?? []), [address, titleOf(text)]])
  }
  return found
}

function seeAlso(code, mentions) {
  const pages = (mentions.get(code) ?? []).filter(([address]) => !address.startsWith(SOURCE))
  const links = [[`${SOURCE}.md`, 'Statuses, reasons, errors'], ...pages]
  return ['## See also', links.map(([address, title]) => `- [${title}](${address})`).join('\n')]
}

function bare(code) {
  return code.replaceAll('`', '')
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
