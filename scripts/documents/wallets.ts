// docs/wallets.md: shows which wallet can answer which question. The results come from the conformance test
// of wallets, which compares each result with the outcome of a session.

import { readFileSync } from 'node:fs'
import { FINDINGS, type FindingCode } from '../../src/wallets/lowering.ts'
import { WALLET_PROFILES } from '../../src/wallets/profiles/index.ts'
import type { WalletProfile } from '../../src/wallets/profiles/profile.ts'
import { WALLET_SOURCES } from '../../src/wallets/profiles/sources.ts'
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
Each cell is one test of \`test/conformance/wallets/matrix.test.ts\` against the running service, in \`openid4vp-1.0\`.
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
    DISCLOSURE,
    table(['wallet', 'question', 'claims without a choice', 'claims if chosen'], disclosures(results)),
    '## Sources',
    table(
      ['wallet', 'status', 'read', 'sources'],
      WALLET_PROFILES.map((profile) => [profile.name, profile.status, readOf(profile), sources(profile)]),
    ),
  ].join('\n\n')
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
