// Every combination of a request and a response, as a product of six dimensions (api/request, api/protocols).
// Each cell runs in test/conformance/protocols/cells.test.ts, or a rule excludes it by a clause.
// docs/protocols.md shows the result.

export const DIMENSIONS = {
  protocol: ['openid4vp-1.0', 'haip-1.0', 'openid4vp-draft24', 'openid4vp-draft18', 'iso-18013-7-c'],
  channel: ['qr', 'link', 'by_value', 'dc_api signed', 'dc_api unsigned', 'dc_api org-iso-mdoc'],
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
    'none',
  ],
  method: ['post', 'get', 'none'],
} as const

type Dimensions = typeof DIMENSIONS
type Name = keyof Dimensions
export type Cell = { readonly [N in Name]: Dimensions[N][number] }

type Rule = {
  /** Cells to which the rule applies. In each named dimension, the cell has one of these values. */
  readonly when: { readonly [N in Name]?: readonly Dimensions[N][number][] }
  readonly clause: string
}

const REDIRECT = ['qr', 'link'] as const
const DC_API = ['dc_api signed', 'dc_api unsigned'] as const
const ANNEX_C = ['dc_api org-iso-mdoc'] as const
const OPENID_CHANNELS = [...REDIRECT, 'by_value', ...DC_API] as const
const UNSIGNED = ['redirect_uri', 'url', 'origin', 'none'] as const
const SIGNED = DIMENSIONS.clientId.filter((prefix) => !UNSIGNED.some((one) => one === prefix))
const DRAFTS = ['openid4vp-draft24', 'openid4vp-draft18'] as const

/** Rules of channels: such a cell cannot even be requested. */
const SHAPES: readonly Rule[] = [
  {
    when: { channel: OPENID_CHANNELS, clientId: ['none'] },
    clause: 'every request of OpenID4VP has a Client Identifier, or the origin in its place (§5.9, A.2)',
  },
  {
    when: { channel: ANNEX_C, clientId: [...SIGNED, 'redirect_uri', 'url', 'origin'] },
    clause:
      'a DeviceRequest has no Client Identifier: reader certificates and the origin name the verifier (Annex C)',
  },
  {
    when: { channel: ANNEX_C, response: ['plain'] },
    clause: 'every response is sealed with HPKE (ISO/IEC TS 18013-7 Annex C)',
  },
  {
    when: { channel: ['dc_api signed'], clientId: UNSIGNED },
    clause: 'these identifiers cannot be used in a signed request (OpenID4VP 1.0 §5.9.3)',
  },
  {
    when: { channel: REDIRECT, clientId: ['url', 'origin'] },
    clause:
      'a Client Identifier without a prefix must be pre-registered, and `origin` is reserved (OpenID4VP 1.0 §5.9)',
  },
  {
    when: { channel: ['by_value'], clientId: [...SIGNED, 'redirect_uri', 'origin'] },
    clause: 'the view identifies the verifier by its URL, as in drafts without prefixes (api/request)',
  },
  {
    when: { channel: ['dc_api unsigned'], clientId: [...SIGNED, 'redirect_uri', 'url'] },
    clause: 'an unsigned request has no `client_id`: the browser asserts the origin (OpenID4VP 1.0 A.2)',
  },
  {
    when: { channel: REDIRECT, clientId: SIGNED, method: ['none'] },
    clause: 'the Request Object is fetched from `request_uri` (RFC 9101 §5.2)',
  },
  {
    when: { channel: REDIRECT, clientId: ['redirect_uri'], method: ['post', 'get'] },
    clause: 'the unsigned request is complete in its URI, and nothing is fetched (OpenID4VP 1.0 §5.9.3)',
  },
  {
    when: { channel: ['by_value', ...DC_API, ...ANNEX_C], method: ['post', 'get'] },
    clause: 'the request is passed by value, and nothing is fetched (RFC 9101 §5.1, OpenID4VP 1.0 A.2)',
  },
  {
    when: { channel: ['by_value'], response: ['encrypted'] },
    clause: 'the view has no encryption key (api/request)',
  },
]

/** Rules of protocols: such a cell can be requested, and is refused. */
const PROTOCOL_RULES: readonly Rule[] = [
  {
    when: { protocol: ['iso-18013-7-c'], channel: OPENID_CHANNELS },
    clause: 'a session of its own has no request of OpenID4VP (api/dc-api)',
  },
  {
    when: { channel: ANNEX_C, format: ['dc+sd-jwt', 'jwt_vc_json'] },
    clause: 'a DeviceRequest asks for mdocs (ISO/IEC 18013-5 §8.3.2.1.2.1)',
  },
  {
    when: { protocol: DRAFTS, channel: ANNEX_C },
    clause: '`org-iso-mdoc` is offered beside OpenID4VP 1.0 only (api/dc-api)',
  },
  {
    when: { protocol: ['haip-1.0'], channel: ['by_value'] },
    clause: 'requests must be signed, responses encrypted (HAIP §5.1)',
  },
  {
    when: { protocol: ['haip-1.0'], format: ['jwt_vc_json'] },
    clause: 'only SD-JWT VC and mdoc are profiled (HAIP §6)',
  },
  {
    when: { protocol: ['haip-1.0'], response: ['plain'] },
    clause: 'responses must be encrypted (HAIP §5)',
  },
  {
    when: {
      protocol: ['haip-1.0'],
      clientId: [...SIGNED.filter((prefix) => prefix !== 'x509_hash'), 'redirect_uri'],
    },
    clause: 'requests must be signed with `x509_hash` (HAIP §5)',
  },
  {
    when: { protocol: DRAFTS, channel: DC_API },
    clause: '`openid4vp-v1` identifies OpenID4VP 1.0 (A.1)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['x509_hash'] },
    clause: 'introduced in draft 25',
  },
  {
    when: { protocol: DRAFTS, clientId: ['decentralized_identifier'] },
    clause: 'introduced in draft 26; the `did:` of the drafts is not supported (api/protocols)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['verifier_attestation'] },
    clause: 'introduced in draft 20; not supported in the drafts (api/protocols)',
  },
  {
    when: { protocol: DRAFTS, clientId: ['redirect_uri'] },
    clause: 'not supported in the drafts (api/protocols)',
  },
  {
    when: { protocol: ['openid4vp-draft18'], method: ['post'] },
    clause: '`request_uri_method` was introduced in draft 21',
  },
  {
    when: { channel: ['by_value'], format: ['mso_mdoc'] },
    clause:
      'an unencrypted response has no place for the nonce of its session transcript (ISO/IEC TS 18013-7 B.4.4)',
  },
  {
    when: { protocol: DRAFTS, format: ['mso_mdoc'], response: ['plain'] },
    clause: 'its session transcript needs a nonce from the header of the JWE (ISO/IEC TS 18013-7 B.4.4)',
  },
]

/** Returns the clause that excludes a cell; `undefined` for a cell that runs. */
export function impossible(cell: Cell): string | undefined {
  return ruleFor(cell)?.clause
}

/** Every cell, possible or impossible. */
export const CELLS: readonly Cell[] = product(Object.entries(DIMENSIONS)).map((cell) => cell as Cell)

export const POSSIBLE = CELLS.filter((cell) => impossible(cell) === undefined)

/** Cells that only the rules of protocols exclude: they can be requested and must be refused. */
export const REFUSED = CELLS.filter((cell) => PROTOCOL_RULES.includes(ruleFor(cell) as Rule))

/** Returns the second and third table of docs/protocols.md. */
export function describeCells(): string {
  return [
    '| `protocol` | channel | format | response | Client Identifier | `request_uri_method` | cells of each channel |',
    '|---|---|---|---|---|---|---|',
    ...possibleRows(),
    '',
    '| impossible cells | reason | cells |',
    '|---|---|---|',
    ...[...PROTOCOL_RULES, ...SHAPES].map(impossibleRow),
  ].join('\n')
}

/** Returns the first table of docs/protocols.md: a row for each protocol. */
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

/** Returns a row for each protocol and channel. Channels of one protocol with the same values share a row. */
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
