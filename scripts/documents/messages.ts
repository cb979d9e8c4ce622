// assets/messages.json and metrics.json: texts that the service reads when it needs them, from the tables in
// its sources. A bundler leaves those tables out.

import { HELP } from '../../src/metrics/help.ts'
import { DCQL_MESSAGES, POLICY_MESSAGES, TRANSACTION_MESSAGES } from '../../src/policy/request-messages.ts'
import { IDENTITY_ERRORS } from '../../src/relying-party/verifier/verifier-identity.ts'
import { REGISTRATION_FAULTS } from '../../src/relying-party/verifier/verifier-registration.ts'
import { ROUTE_MESSAGES } from '../../src/routes/message-texts.ts'
import { CLIENT_MESSAGES } from '../../src/routes/oidc/clients/client-messages.ts'
import { WARNINGS } from '../../src/routes/settings/warning-texts.ts'
import { FINDINGS } from '../../src/wallets/lowering.ts'

/** Returns assets/metrics.json. */
export function describeHelp(): string {
  return JSON.stringify(HELP, null, 2)
}

/** Returns assets/messages.json. Throws if two tables have one code. */
export function describeMessages(): string {
  const tables = [
    POLICY_MESSAGES,
    DCQL_MESSAGES,
    TRANSACTION_MESSAGES,
    FINDINGS,
    IDENTITY_ERRORS,
    REGISTRATION_FAULTS,
    WARNINGS,
    CLIENT_MESSAGES,
    ROUTE_MESSAGES,
  ]
  const entries = tables.flatMap((table) => Object.entries(table))
  if (new Map(entries).size < entries.length) throw new Error('two tables have one code')
  return JSON.stringify(Object.fromEntries(entries), null, 2)
}
