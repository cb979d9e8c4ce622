// Measures the CPU of a login by OpenID Connect over that of a verification by the same steps of one browser.
// test/routes/oidc/login-times.test.ts counts its rows.

import { authorized, persistentCaller } from '../test/slow/crash/load.ts'
import { registerLoginClient, untilTokens } from '../test/slow/crash/logins.ts'
import { present } from '../test/slow/crash/ways.ts'
import { makeAuthority } from '../test/support/people/person.ts'
import { startServer } from '../test/support/service/server.ts'
import { BASE_URL, OVER_18 } from '../test/support/service/service.ts'
import { leanSettings, makeLeanWallet } from '../test/support/wallets/lean-wallet.ts'
import { usageOf } from './load/target.ts'
import { median } from './measure.ts'
import { type Report, rounded } from './report.ts'

const ROUNDS = 3
/** Logins or verifications of one round: the CPU of a process is counted in hundredths of a second. */
const REPETITIONS = 50

export async function benchLogin(report: Report): Promise<void> {
  report.heading('CPU of the service for one login (milliseconds)')
  const server = await startServer({ env: { BASE_URL, ALLOW_LOOPBACK: '1' } })
  try {
    const authority = await makeAuthority()
    const wallet = await makeLeanWallet(authority)
    const { api_key: apiKey } = await server.createRelyingParty(leanSettings(authority))
    const { ask } = persistentCaller(server.origin, async () => undefined)
    const pause = async () => undefined
    const verify = async () => {
      const { method, headers } = authorized(apiKey, 'POST')
      const body = JSON.stringify(OVER_18)
      const json = { ...headers, 'content-type': 'application/json' }
      const created = await ask('/v1/verify', { method, headers: json, body })
      await present('link', 'adult', { ask, wallet, apiKey, session: JSON.parse(created.text) }, pause)
    }
    const loginWith = async (alg: string) => {
      const client = await registerLoginClient(ask, apiKey, { id_token_signed_response_alg: alg })
      return () => untilTokens({ ask, wallet, client, age: 'adult', pause })
    }
    const candidates = { verify, ES256: await loginWith('ES256'), RS256: await loginWith('RS256') }
    const cpu = { verify: [] as number[], ES256: [] as number[], RS256: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, work] of Object.entries(candidates)) {
        const before = usageOf(server.pid()).cpuMs
        for (let i = 0; i < REPETITIONS; i++) await work()
        const each = (usageOf(server.pid()).cpuMs - before) / REPETITIONS
        if (round > 0) cpu[name as keyof typeof cpu].push(each) // the first round warms up
      }
    }
    const of = (name: keyof typeof cpu) => rounded(median(cpu[name]))
    report.line(`verification in one browser: ${of('verify')}`)
    report.line(`login with an ID token by ES256: ${of('ES256')}; by RS256: ${of('RS256')}`)
  } finally {
    await server.stop()
  }
}
