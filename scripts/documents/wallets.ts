// docs/wallets.md: shows which wallet can answer which question. The results come from the conformance test
// of wallets, which compares each result with the outcome of a session.

import { readFileSync } from 'node:fs'
import { FINDINGS, type FindingCode } from '../../src/wallets/lowering.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import type { WalletProfile } from '../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../src/wallets/profiles/sources.ts'
import {
  BROWSER_QUESTIONS,
  BROWSER_RESULTS_FILE,
  BROWSER_WALLETS,
  type BrowserResults,
} from '../../test/support/wallets/browser-results.ts'
import { QUESTIONS } from '../../test/support/wallets/questions.ts'
import { RESULTS_FILE, type Result, type Results } from '../../test/support/wallets/results.ts'

const INTRODUCTION = `# Wallets

A relying party asks one question, and every wallet supports another part of the protocol.
The answer to a creation has \`wallets\`, which says for each wallet whether it can answer.

\`\`\`json
{"credential_types": ["age_attestation", "pid", "mdl"], "scope": ["age_over_18"], "wallet": "nl-wallet"}
\`\`\`

With \`wallet\`, or when a person chooses their wallet on the page, the request is made for that wallet
([the contract](api/wallets.md#chosen-wallets)).
\`npm run admin -- wallets --policy file.json\` prints the same for a policy in a file.
With \`--relying-party <id>\` it uses the settings of that relying party.

No device was used.
For each wallet there is a fake in \`test/support/wallets\`, written from its public source or, where that is closed,
from its documentation.
It refuses what that says, and discloses what that says.
The fakes of Talao and of swiyu end at a refusal.
swiyu answers only verifiers that the service cannot be, and Talao answers drafts only.
Those answers are in no fake.
Each cell is one test of \`test/slow/wallets/matrix.test.ts\` against the running service, in \`openid4vp-1.0\`.
In \`haip-1.0\` the wallets that support it are asked the first question only.
No fake is asked in a draft or in live mode: in drafts \`wallets\` says \`unknown\` or \`cannot\`.
Live mode has the same rules, with the live links of each wallet.
A real wallet can differ.

The relying party of these tests has what a wallet may need, in test mode:

- an access certificate that names the organization with its identifier, for the NL Wallet;
- its root as \`root_certificate_pem\`, for the German EUDI wallet;
- a reader certificate ([Apple Wallet](apple-wallet.md)) and \`google_wallet\` ([Google Wallet](google-wallet.md));
- \`by_value\`, for wallets that take unsigned requests or respond in the clear.

## Which wallet can answer`

const LEGEND = `| word | means |
|---|---|
| works | the request for any wallet is answered, and verifies |
| lowered | the request for this wallet leaves something out; it is answered, and verifies |
| † | the wallet refuses the request for any wallet, so it must be chosen |
| ? | the checked sources leave open if the wallet can answer |
| ! | the wallet would answer, and can disclose more claims than the question names, so it is not asked |
| – | the wallet cannot answer |

The questions, as members of a creation:`

const IO_APP = `The IO app answers only if all of these hold:

- the access certificate is under the root of IT-Wallet, which the app has built in;
- the fiscal code of the person is on the list of people for whom IT-Wallet 1.3.3 is active in the app.

The service cannot see either.
The app answers without \`kid\` in the JWE, so the service tries the keys of the session's requests for it.
It signs an mdoc over the handover of ISO/IEC TS 18013-7 Annex B, with a nonce that it does not send.
No verifier can check that, so the app is asked for SD-JWT VCs only.`

const LINK_ONLY = WALLET_PROFILES.filter(({ dc_api_protocols }) => dc_api_protocols.length === 0).map(
  ({ name }) => name,
)

const BROWSERS = `## Through the browser

On a phone, on a page of the relying party, by the calls that the client makes
([dc-api](api/dc-api.md), [client](client.md)).
Each cell is one test of \`test/slow/wallets/browsers.test.ts\` with the browsers of
\`test/support/browser/virtual-browser.ts\`.
*chosen*: the wallet must be chosen, and \`browser\` in the answer to the creation is \`if_chosen\`.
*link*: if the wallet is chosen, the session offers it a link and nothing for the browser; \`browser\` is \`no\`.
Without a choice it answers the browser with one credential, the session stays pending, and its link still works.
*not here*: the browser passes no request to this wallet; its link may be another way.
*cannot*: the answer to the creation says so.

- EUDI's reference wallet and the age verification app on Android read the first request of a call only.
  The core was read at 0.27.0 (1d17f2f), and both apps use 0.28.1.
  Where one call has OpenID4VP before \`org-iso-mdoc\`, they answer if they are chosen.
  Since 0.29 the core reads the request that the person picked, also of OpenID4VP; no app with it was found.
- Valera decodes every request of a call, and ends a call that has \`openid4vp-v1-multisigned\`.
  A relying party with further identities reaches it by a link, or if it is chosen.
  It returns no \`protocol\` to the browser; a browser that adds it is assumed.
- EUDI's reference wallet on iOS has an extension for Safari, which answers \`org-iso-mdoc\`.
  Version a1f1592 of its library (av-lib-ios-w3c-dc-api) answers with every document of a request.
  The app uses a later version (0.20.1), which was not found, so the service does not ask it through the browser.
- Multipaz itself answers all four protocols: \`npm run proof -- clients multipaz\`.

The service makes no request through a browser for the others:

${LINK_ONLY.map((name) => `- ${name}`).join('\n')}`

const DISCLOSURE = `## What a wallet discloses without a choice

No wallet discloses a claim outside the policy, except those marked !.
The request for a chosen wallet gets no more claims than the question needs.
The request for any wallet names alternatives, and these wallets answer more of them than one:`

export function describeWallets(): string {
  const results = JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as Results
  return [
    INTRODUCTION,
    table(
      ['wallet', ...QUESTIONS.map(({ name }) => name)],
      WALLET_PROFILES.map(({ id, name }) => [
        `${name} (\`${id}\`)`,
        ...QUESTIONS.map((question) => cell(results[id]?.[question.name])),
      ]),
    ),
    LEGEND,
    table(
      ['question', 'creation'],
      QUESTIONS.map(({ name, creation }) => [name, `\`${JSON.stringify(creation)}\``]),
    ),
    '## Why',
    table(
      ['wallet', 'what is left out, or why it cannot answer'],
      WALLET_PROFILES.map(({ id, name }) => [name, reasons(Object.values(results[id] ?? {}))]),
    ),
    IO_APP,
    BROWSERS,
    browserTable(),
    DISCLOSURE,
    table(['wallet', 'question', 'claims without a choice', 'claims if chosen'], disclosures(results)),
    '## Sources',
    table(
      ['wallet', 'status', 'read', 'sources'],
      WALLET_PROFILES.map((profile) => [profile.name, profile.status, readOf(profile), sources(profile)]),
    ),
  ].join('\n\n')
}

function browserTable(): string {
  const results = JSON.parse(readFileSync(BROWSER_RESULTS_FILE, 'utf8')) as BrowserResults
  const modes = ['all four', 'mdoc takes precedence', 'OpenID4VP alone', 'Annex C alone', 'none']
  return table(
    ['wallet', 'question', ...modes],
    BROWSER_WALLETS.flatMap(({ id, name }) =>
      BROWSER_QUESTIONS.map((question) => [
        name,
        question.name,
        ...modes.map((mode) => results[id]?.[question.name]?.[mode] ?? ''),
      ]),
    ),
  )
}

function cell(result: Result | undefined): string {
  if (result === undefined) return ''
  const isRefused = result.default !== 'verified'
  switch (result.result) {
    case 'cannot':
      return isRefused ? '–' : '!'
    case 'unknown':
      return '?'
    default:
      return isRefused ? `${result.result} †` : result.result
  }
}

function reasons(results: readonly Result[]): string {
  const codes = [...new Set(results.flatMap(({ why }) => why))]
  return codes.map((code) => FINDINGS[code as FindingCode]).join('; ') || 'nothing'
}

function disclosures(results: Results): readonly (readonly string[])[] {
  return WALLET_PROFILES.flatMap(({ id, name }) =>
    QUESTIONS.flatMap((question) => {
      const { disclosed } = results[id]?.[question.name] ?? {}
      if (disclosed === undefined || disclosed.chosen === 0 || disclosed.default <= disclosed.chosen)
        return []
      return [[name, question.name, String(disclosed.default), String(disclosed.chosen)]]
    }),
  )
}

/** Day of the last check of the profile. */
function readOf({ id }: WalletProfile): string {
  return WALLET_SOURCES[id]?.checked ?? ''
}

/** Repositories with the commit, other sources with their address. */
function sources({ id }: WalletProfile): string {
  return (WALLET_SOURCES[id]?.sources ?? [])
    .map(({ url, version }) => {
      const [address, repository] = /^https:\/\/github\.com\/(.+)$/.exec(url) ?? []
      return repository === undefined ? `<${url}>` : `[${repository}](${address}) ${version.slice(0, 7)}`
    })
    .join(', ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
