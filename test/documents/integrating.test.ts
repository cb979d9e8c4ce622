// docs/integrating.md: the handler of the return, with each result of the service.

import { expect, it } from 'vitest'
import { textsIn } from './pages.ts'

const [HANDLER = ''] = textsIn('docs/integrating.md', 'js')

type Session = { readonly status: string; readonly session_binding: string | null }
type Handler = (request: object, response: { redirect: (path: string) => void }) => Promise<void>

const of = (status: string, session_binding: string | null = null): Session => ({ status, session_binding })
const failed = { ok: false, error: { code: 'invalid_code' } }

/** Runs the handler of the page. Returns where it sends the browser, and its calls of the service. */
async function run(query: object, { get, redeem }: { get?: Session; redeem?: Session }) {
  const calls: unknown[][] = []
  const call =
    (name: string, session: Session | undefined) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args])
      return session === undefined ? failed : { ok: true, value: session }
    }
  const verifier = { get: call('get', get), redeem: call('redeem', redeem) }
  let handler: Handler | undefined
  const app = { get: (_: string, given: Handler) => (handler = given) }
  new Function('app', 'verifier', HANDLER)(app, verifier)
  const redirects: string[] = []
  const response = { redirect: (path: string) => void redirects.push(path) }
  await handler?.({ session: { verificationId: 'v_1' }, query }, response)
  return { redirects, calls }
}

const CODE = { return_code: 'c' }

it.each<[string, object, { get?: Session; redeem?: Session }, string]>([
  ['with a code of a success', CODE, { redeem: of('verified', 'relying_party') }, '/welcome'],
  ['with a wrong or old code', CODE, {}, '/age-check/try-again'],
  ['without a code, declined', {}, { get: of('declined', 'none') }, '/age-check/declined'],
  ['without a code, rejected', {}, { get: of('rejected', 'none') }, '/age-check/try-again'],
  ['without a code, pending', {}, { get: of('pending') }, '/age-check/try-again'],
  ['without a code, verified but not redeemed', {}, { get: of('verified', 'page') }, '/age-check/try-again'],
  ['without a code, redeemed before', {}, { get: of('verified', 'relying_party') }, '/welcome'],
  ['with two codes', { return_code: ['c', 'd'] }, { get: of('pending') }, '/age-check/try-again'],
  ['without a code, erased', {}, {}, '/age-check/try-again'],
])(
  'the example sends the browser to the right page if the browser returns %s',
  async (_, query, service, expected) => {
    const { redirects, calls } = await run(query, service)
    expect(redirects).toEqual([expected])
    expect(calls).toEqual([query === CODE ? ['redeem', 'v_1', 'c'] : ['get', 'v_1']])
  },
)
