// The sandbox, a Worker of its own beside the verifier (docs/decisions/sandbox.md): the test issuer with its status lists, and the
// test wallet. It is reached by the verifier's binding only, and calls the verifier only (verifier.ts).

import { readText } from './bounded-body.ts'
import { issuerResource } from './issuer/resources.ts'
import { sendNothing } from './page/document.ts'
import { answerAs, showRequest } from './page/wallet-page.ts'
import { type VerifierEnv, verifierOf } from './verifier.ts'
import { type Errand, type Post, prepare, send } from './wallet/wallet.ts'

/** The host under which the verifier asks: for what the sandbox issuer publishes, and for answers of the test wallet. */
const SANDBOX_HOST = 'sandbox.invalid'

export default {
  async fetch(request: Request, env: VerifierEnv): Promise<Response> {
    const address = new URL(request.url)
    const { host, pathname } = address
    const isOwn = host === SANDBOX_HOST
    const found = isOwn ? await ownResource(request, pathname, env) : await page(request, address, env)
    return found ?? sendNothing()
  },
} satisfies ExportedHandler<VerifierEnv>

/** What people see, at the verifier's address. */
async function page(request: Request, address: URL, env: VerifierEnv): Promise<Response | undefined> {
  if (address.pathname !== '/test/wallet') return undefined
  if (request.method !== 'POST') return showRequest(address, reachBy(env))
  const form = await readText(request, FORM_LIMIT)
  return form === undefined ? undefined : answerAs(new URLSearchParams(form), reachBy(env), now())
}

/** A request passed by value is long. */
const FORM_LIMIT = 131_072

/** Nobody but the verifier asks for these: they have no address outside. */
async function ownResource(request: Request, path: string, env: VerifierEnv): Promise<Response | undefined> {
  if (request.method !== 'POST') return issuerResource(path, now())
  if (path === '/answer') return answer(await request.json<Errand>(), env)
  return path === '/again' ? again(await request.json<Post>(), env) : undefined
}

/** One answer of the test wallet, and what the verifier said to it; or why there is none. */
async function answer(errand: Errand, env: VerifierEnv): Promise<Response> {
  const reach = reachBy(env)
  const prepared = await prepare(errand, reach, now())
  if (!prepared.ok) return Response.json(prepared.error, { status: 422 })
  const { does, post, presented } = prepared.value
  return Response.json({ does, presented, post, answered: await send(post, reach) })
}

/** The same answer once more. */
async function again(post: Post, env: VerifierEnv): Promise<Response> {
  return Response.json({ post, answered: await send(post, reachBy(env)) })
}

function reachBy(env: VerifierEnv) {
  const call = verifierOf(env)
  return (url: string, init?: RequestInit) =>
    call?.(url, marked(init)) ?? Promise.reject(new Error('the sandbox knows no verifier'))
}

/** The verifier gives a wallet that says so no request of live mode. */
function marked(init: RequestInit = {}): RequestInit {
  return { ...init, headers: { ...init.headers, 'sandbox-wallet': '1' } }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
