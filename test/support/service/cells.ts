// Every way a wallet can be asked and can answer, as one product of six dimensions (CONTRACT 3, 5). A cell of it runs in
// test/conformance/protocols/cells.test.ts, or one of these rules says by which clause it cannot be. docs/protocols.md shows what follows.

export const DIMENSIONS = {
  protocol: ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18'],
  channel: ['qr', 'link', 'by_value', 'dc_api signed', 'dc_api unsigned'],
  format: ['dc+sd-jwt', 'mso_mdoc', 'jwt_vc_json'],
  response: ['encrypted', 'plain'],
  clientId: [
    'x509_hash',
    'x509_san_dns',
    'decentralized_identifier',
    'verifier_attestation',
    'redirect_uri',
    'url',
    'origin',
  ],
  method: ['post', 'get', 'none'],
} as const

type Dimensions = typeof DIMENSIONS
type Name = keyof Dimensions
export type Cell = { readonly [N in Name]: Dimensions[N][number] }

type Rule = {
  /** The cells it speaks of: those with one of these values in each dimension named. */
  readonly when: { readonly [N in Name]?: readonly Dimensions[N][number][] }
  readonly clause: string
}

const REDIRECT = ['qr', 'link'] as const
const DC_API = ['dc_api signed', 'dc_api unsigned'] as const
const UNSIGNED = ['redirect_uri', 'url', 'origin'] as const
const SIGNED = DIMENSIONS.clientId.filter((prefix) => !UNSIGNED.some((one) => one === prefix))
const DRAFTS = ['openid4vp-draft24', 'openid4vp-draft18'] as const

/** What a channel is made of: such a cell cannot even be asked for. */
const SHAPES: readonly Rule[] = [
  {
    when: { channel: ['dc_api signed'], clientId: UNSIGNED },
    clause: 'the request is signed, and under these names none can be (OpenID4VP 1.0 §5.9.3)',
  },
  {
    when: { channel: REDIRECT, clientId: ['url', 'origin'] },
    clause:
      'no Client Identifier without a prefix is known beforehand, and `origin` is reserved (OpenID4VP 1.0 §5.9)',
  },
  {
    when: { channel: ['by_value'], clientId: [...SIGNED, 'redirect_uri', 'origin'] },
    clause: 'the view names the verifier by its URL, as was done before there were prefixes (CONTRACT 3)',
  },
  {
    when: { channel: ['dc_api unsigned'], clientId: [...SIGNED, 'redirect_uri', 'url'] },
    clause: 'no `client_id` in an unsigned request: the browser vouches for the origin (OpenID4VP 1.0 A.2)',
  },
  {
    when: { channel: REDIRECT, clientId: SIGNED, method: ['none'] },
    clause: 'the Request Object is fetched from `request_uri` (RFC 9101 §5.2)',
  },
  {
    when: { channel: REDIRECT, clientId: ['redirect_uri'], method: ['post', 'get'] },
    clause:
      'the request is not signed, so its URI is all of it and nothing is fetched (OpenID4VP 1.0 §5.9.3)',
  },
  {
    when: { channel: ['by_value', ...DC_API], method: ['post', 'get'] },
    clause: 'the request is handed over and nothing fetched (RFC 9101 §5.1, OpenID4VP 1.0 A.2)',
  },
  {
    when: { channel: ['by_value'], response: ['encrypted'] },
    clause: 'the view has no key to encrypt to (CONTRACT 3)',
  },
]

/** What a protocol does not have: asked for, it is refused. */
const PROTOCOL_RULES: readonly Rule[] = [
  {
    when: { protocol: ['haip-1.0'], channel: ['by_value'] },
    clause: 'requests are signed, answers encrypted (HAIP §5.1)',
  },
  {
    when: { protocol: ['haip-1.0'], format: ['jwt_vc_json'] },
    clause: 'profiles SD-JWT VC and mdoc alone (HAIP §6)',
  },
  {
    when: { protocol: ['haip-1.0'], response: ['plain'] },
    clause: 'answers are encrypted (HAIP §5)',
  },
  {
    when: {
      protocol: ['haip-1.0'],
      clientId: [...SIGNED.filter((prefix) => prefix !== 'x509_hash'), 'redirect_uri'],
    },
    clause: 'requests are signed, by `x509_hash` (HAIP §5)',
  },
  {
    when: { protocol: DRAFTS, channel: DC_API },
    clause: '`openid4vp-v1` identifies OpenID4VP 1.0 (A.1)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['x509_hash'] },
    clause: 'came with draft 25',
  },
  {
    when: { protocol: DRAFTS, clientId: ['decentralized_identifier'] },
    clause: 'came with draft 26; the `did:` of the drafts is left out (CONTRACT 5)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['verifier_attestation'] },
    clause: 'came with draft 20; left out of the drafts (CONTRACT 5)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['redirect_uri'] },
    clause: 'left out of the drafts (CONTRACT 5)',
  },
  {
    when: { protocol: ['openid4vp-draft18'], method: ['post'] },
    clause: '`request_uri_method` came with draft 21',
  },
  {
    when: { channel: ['by_value'], format: ['mso_mdoc'] },
    clause: 'its session would have a nonce that such an answer has no place for (ISO/IEC TS 18013-7 B.4.4)',
  },
  {
    when: { protocol: DRAFTS, format: ['mso_mdoc'], response: ['plain'] },
    clause: 'its session has a nonce from the header of the JWE (ISO/IEC TS 18013-7 B.4.4)',
  },
]

/** The clause by which a cell cannot be; `undefined` for one that runs. */
export function impossible(cell: Cell): string | undefined {
  return ruleFor(cell)?.clause
}

/** Every cell, those that run and those that cannot. */
export const CELLS: readonly Cell[] = product(Object.entries(DIMENSIONS)).map((cell) => cell as Cell)

export const POSSIBLE = CELLS.filter((cell) => impossible(cell) === undefined)

/** Cells that the rules of protocols alone exclude: they can be asked for, and must be refused. */
export const REFUSED = CELLS.filter((cell) => PROTOCOL_RULES.includes(ruleFor(cell) as Rule))

/** The two tables of docs/protocols.md. */
export function describeCells(): string {
  return [
    '| `protocol` | channel | format | answer | verifier named by | fetched by | cells of each channel |',
    '|---|---|---|---|---|---|---|',
    ...possibleRows(),
    '',
    '| cannot be | because | cells |',
    '|---|---|---|',
    ...[...PROTOCOL_RULES, ...SHAPES].map(impossibleRow),
  ].join('\n')
}

/** The first table of docs/protocols.md: a row for each protocol. */
export function describeProtocols(): string {
  const rows = DIMENSIONS.protocol.map((protocol) => {
    const cells = POSSIBLE.filter((cell) => cell.protocol === protocol)
    const columns = (['channel', 'format', 'response'] as const).map((name) =>
      list(DIMENSIONS[name].filter((value) => cells.some((cell) => cell[name] === value))),
    )
    return `| \`${protocol}\` | ${columns.join(' | ')} | ${cells.length} |`
  })
  return ['| `protocol` | channels | formats | responses | cells |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  )
}

function ruleFor(cell: Cell): Rule | undefined {
  return [...SHAPES, ...PROTOCOL_RULES].find(({ when }) =>
    Object.entries(when).every(([name, values]) =>
      (values as readonly string[]).includes(cell[name as Name]),
    ),
  )
}

type Entries = readonly (readonly [string, readonly string[]])[]

function product([first, ...others]: Entries): readonly Readonly<Record<string, string>>[] {
  if (first === undefined) return [{}]
  const [name, values] = first
  return values.flatMap((value) => product(others).map((rest) => ({ [name]: value, ...rest })))
}

/** A row for each protocol and channel; channels of one protocol that allow the same share theirs. */
function possibleRows(): readonly string[] {
  return DIMENSIONS.protocol.flatMap((protocol) => {
    const channelsOf = new Map<string, string[]>()
    for (const channel of DIMENSIONS.channel) {
      const cells = POSSIBLE.filter((cell) => cell.protocol === protocol && cell.channel === channel)
      if (cells.length === 0) continue
      const columns = (['format', 'response', 'clientId', 'method'] as const).map((name) =>
        list(DIMENSIONS[name].filter((value) => cells.some((cell) => cell[name] === value))),
      )
      const rest = `${columns.join(' | ')} | ${cells.length}`
      channelsOf.set(rest, [...(channelsOf.get(rest) ?? []), channel])
    }
    return [...channelsOf].map(([rest, channels]) => `| \`${protocol}\` | ${channels.join(', ')} | ${rest} |`)
  })
}

function impossibleRow(rule: Rule): string {
  const excluded = CELLS.filter((cell) => ruleFor(cell) === rule).length
  const named = Object.values(rule.when).map((values) => list(values))
  return `| ${named.join(' × ')} | ${rule.clause} | ${excluded} |`
}

function list(values: readonly string[]): string {
  return values.map((value) => (value === 'none' ? '–' : `\`${value}\``)).join(', ')
}
