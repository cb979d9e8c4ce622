// Names of the variables that `npm start` reads, and the correction of misspelt names.

/** Optional variables of src/config.ts without a default here. */
export const PASSED_ON = [
  ...['VERIFIER_FURTHER_KEYS', 'GOOGLE_WALLET_AGGREGATOR', 'SERVICE_SCHEME', 'WALLET_SCHEME'],
  ...['CLIENT_IP_HEADER', 'LOG_REQUESTS', 'TSA_URL', 'TSA_CA_PEM', 'TSA_AUTHORIZATION'],
]

/** Every variable that an operator may set (docs/configuration.md). */
export const KNOWN = [
  ...['PORT', 'HOST', 'BASE_URL', 'STATE_DIR', 'TLS_CERT', 'TLS_KEY', 'ALLOW_LOOPBACK', 'SESSION_OBJECTS'],
  ...[
    'DEMO',
    'DEMO_WEBHOOK_URL',
    'CONSOLE',
    'ADMIN_TOKEN',
    'METRICS_TOKEN',
    'SERVER_SECRET',
    'ACCESS_TOKEN_KEYS',
  ],
  ...['OIDC_KEYS', 'OIDC_SUBJECT_KEY'],
  ...['VERIFIER_SIGNING_JWK', 'VERIFIER_CERTIFICATE_CHAIN_PEM', ...PASSED_ON],
]

/** Returns a sentence for each name in `env` that is nearly a known name. The service ignores such a name. */
export function misspeltNames(env) {
  return Object.keys(env).flatMap((name) => {
    if (KNOWN.includes(name)) return []
    const meant = KNOWN.find((known) => isNear(name, known))
    return meant === undefined || env[meant] !== undefined
      ? []
      : [`${name} is not a variable of this service and is ignored. Did you mean ${meant}?`]
  })
}

/** Short names have many neighbours, such as HOME and HOST. There, only case and underscores may differ. */
function isNear(name, known) {
  const [a, b] = [name, known].map((text) => text.toUpperCase().replace(/[^A-Z0-9]/g, ''))
  if (a === b) return true
  const most = known.length < 7 ? 0 : known.length < 10 ? 1 : 2
  return most > 0 && Math.abs(a.length - b.length) <= most && distance(a, b) <= most
}

/** Returns how many letters must be inserted, removed, replaced or exchanged with their neighbour. */
function distance(a, b) {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i])
  for (let j = 1; j <= b.length; j++) rows[0][j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchange ? rows[i - 2][j - 2] + 1 : Infinity
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced, exchanged)
    }
  }
  return rows[a.length][b.length]
}
