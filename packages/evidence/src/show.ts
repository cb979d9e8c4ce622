// Tells a person what was asked, disclosed and decided, as text and as one printable page of HTML. Texts of
// wallets and issuers are shown as data: without control characters and without markup.

import type { Json } from '../../../src/codec/json.ts'
import type { CaseFile } from './case-file.ts'
import { offeredIdentities } from './multi-signed.ts'
import type { Verified } from './verify.ts'

/** A section: a heading, and rows of a name and a text. */
type Section = { readonly title: string; readonly rows: readonly (readonly [string, string])[] }

/** End of each page: the facts that the evidence proves, and those that it does not. */
export const LIMITS: readonly string[] = [
  'A signature of key binding shows that somebody had the key. It does not show who held the device.',
  'A deviceMac proves the presentation only to the holder of response-key.jwk.',
  'The status of a credential is as of the time at which its list was fetched.',
  'The time stamp shows that the manifest existed then. It does not show that the clock was right before.',
  "Algorithms age: stamp the container again before the authority's certificate ends.",
]

/** Returns the page as text. */
export function showText(verified: Verified): string {
  const sections = sectionsOf(verified).map(({ title, rows }) => {
    const width = Math.max(...rows.map(([name]) => name.length), 0)
    const lines = rows.map(([name, text]) => `  ${printable(name.padEnd(width))}  ${printable(text)}`)
    return [printable(title), ...lines].join('\n')
  })
  return `${[...sections, ['What it proves', ...LIMITS.map((limit) => `  ${limit}`)].join('\n')].join('\n\n')}\n`
}

/** Returns the page as HTML, without scripts and without addresses. */
export function showHtml(verified: Verified): string {
  const { verification_id } = verified.caseFile.index
  const sections = sectionsOf(verified).map(({ title, rows }) => {
    const lines = rows.map(
      ([name, text]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(text)}</td></tr>`,
    )
    return `<h2>${escapeHtml(title)}</h2>\n<table>${lines.join('\n')}</table>`
  })
  const limits = LIMITS.map((limit) => `<li>${escapeHtml(limit)}</li>`).join('\n')
  const policy = "default-src 'none'; style-src 'unsafe-inline'"
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Evidence of ${escapeHtml(verification_id)}</title>
<style>body{font:14px/1.4 sans-serif;max-width:60em;margin:2em auto}h1{font-size:1.4em}h2{font-size:1.1em}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;border-top:1px solid #bbb;
padding:.2em .6em;overflow-wrap:anywhere}th{width:18em;font-weight:normal;color:#333}</style></head>
<body><h1>Evidence of ${escapeHtml(verification_id)}</h1>
${sections.join('\n')}
<h2>What it proves</h2>
<ul>${limits}</ul></body></html>
`
}

function sectionsOf({ caseFile, report, decided }: Verified): readonly Section[] {
  const { index, decision, session } = caseFile
  const result = {
    passed: 'passed',
    failed: 'FAILED',
    incomplete: 'passed, but something rests on the container alone',
  }
  return [
    {
      title: 'Verification',
      rows: [
        ['verification', index.verification_id],
        ['relying party', index.relying_party_id],
        ['mode', index.livemode ? 'live' : 'test'],
        ['asked', index.requested_at],
        ['answered', index.received_at],
        ['decided', index.decided_at],
        ['check of this evidence', result[report.result]],
        ...report.checks
          .filter((check) => check.result === 'fail')
          .map(
            ({ id, file, detail }) => [`failed: ${id}`, [file, detail].filter(Boolean).join(': ')] as const,
          ),
      ],
    },
    {
      title: 'Asked',
      rows: [
        ['protocol', `${session.protocol}, ${session.channel}`],
        ...askedBy(caseFile),
        ...decision.policy.descriptors.map(
          ({ query_id, credential_type, scopes }) =>
            [query_id, `${credential_type}: ${scopes.map(({ scope }) => scope).join(', ')}`] as const,
        ),
      ],
    },
    ...disclosed(decided),
    {
      title: 'Decided',
      rows: [
        ['status', decision.decision.status],
        ['reason', decision.decision.reason ?? 'none'],
        ['assurance level', decision.decision.assurance_level],
        ...Object.entries(decision.decision.checks).map(
          ([name, holds]) => [name, holds ? 'yes' : 'no'] as const,
        ),
      ],
    },
  ]
}

/**
 * Returns the identities of the verifier. A response does not say which of several the wallet used. An
 * unsigned request has no identity but the origin of its page.
 */
function askedBy(caseFile: CaseFile): readonly (readonly [string, string])[] {
  const { client_id, audience } = caseFile.session
  const isUnsigned = caseFile.index.missing.some(
    ({ what, reason }) => what === 'request' && reason === 'unsigned',
  )
  if (isUnsigned) return [['by', `${audience}, with an unsigned request`]]
  const offered = offeredIdentities(caseFile)
  if (offered.length === 0) return [['by', client_id ?? audience]]
  return offered.map((clientId, i) => [i === 0 ? 'by one of' : '', clientId])
}

function disclosed(decided: Verified['decided']): readonly Section[] {
  if (decided === undefined)
    return [{ title: 'Disclosed', rows: [['nothing', 'the presentations do not verify']] }]
  return decided.presentations.map(({ queryId, credential }) => ({
    title: `Disclosed: ${queryId}`,
    rows: [
      ['type', `${credential.credentialType} (${credential.typeIdentifier}), ${credential.format}`],
      ['issuer', credential.issuer ?? 'not named'],
      ['bound to its holder', credential.holderBound ? 'yes' : 'no'],
      ...leaves(credential.claims, ''),
    ],
  }))
}

const [MAXIMUM_LEAVES, MAXIMUM_TEXT] = [500, 300]

/** Lists the values of a claim set by their paths. */
function leaves(value: Json, path: string): readonly (readonly [string, string])[] {
  if (value === null || typeof value !== 'object') {
    const text = String(value)
    const rest = text.length > MAXIMUM_TEXT ? ` … (${text.length} characters)` : ''
    return [[path, text.slice(0, MAXIMUM_TEXT) + rest]]
  }
  const entries = Object.entries(value as { readonly [name: string]: Json })
  return entries
    .flatMap(([name, item]) => leaves(item, path === '' ? name : `${path}.${name}`))
    .slice(0, MAXIMUM_LEAVES)
}

/** Replaces control characters and characters that change the direction of the text. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '?')
}

/** Returns indented JSON. Characters that a terminal obeys are escaped: only line breaks are left. */
export function printableJson(value: object): string {
  const escaped = (text: string) =>
    text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return JSON.stringify(value, null, 2).replace(UNPRINTABLE, (found) =>
    found === '\n' ? found : escaped(found),
  )
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function escapeHtml(text: string): string {
  const characters: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return printable(text).replace(/[&<>"']/g, (character) => characters[character] ?? '')
}
