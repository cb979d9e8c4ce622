// The sandbox, a Worker of its own beside the verifier (docs/decisions/sandbox.md): test issuer with status
// lists, and test wallet. The verifier reaches it by a binding. It calls the verifier only (verifier.ts).

import { decodeUtf8 } from '../src/codec/bytes.ts'
import { readAtMost } from '../src/net/bounded-read.ts'
import { issuerResource } from './issuer/resources.ts'
import { type AssetSource, NOT_FOUND, type Page, sendPage } from './page/document.ts'
import { sendResponse, showRequest } from './page/wallet-page.ts'
import { type VerifierEnv, verifierOf } from './verifier.ts'
import type { CallVerifier } from './wallet/request.ts'
import { type Post, postForm, prepare, type WalletTask } from './wallet/wallet.ts'

/**
 * Host of the verifier's own requests: for resources of the sandbox issuer, and for responses of the test
 * wallet.
 */
const SANDBOX_HOST = 'sandbox.invalid'

type SandboxEnv = VerifierEnv & {
  /** Files of assets/sandbox. */
  readonly ASSETS: AssetSource
}

export default {
  async fetch(request: Request, env: SandboxEnv): Promise<Response> {
    const address = new URL(request.url)
    const isInternal = address.host === SANDBOX_HOST
    const response = isInternal
      ? await internal(request, address.pathname, env)
      : await page(request, address, env)
    return response instanceof Response ? response : sendPage(env.ASSETS, response ?? NOT_FOUND)
  },
} satisfies ExportedHandler<SandboxEnv>

/** The test wallet's page, below the verifier's address. */
async function page(request: Request, address: URL, env: VerifierEnv): Promise<Page | Response | undefined> {
  if (address.pathname !== '/test/wallet') return undefined
  const call = callerOf(env)
  if (request.method !== 'POST') return showRequest(address, call)
  const bytes = await readAtMost(request, FORM_LIMIT)
  const form = bytes && decodeUtf8(bytes)
  return form === undefined ? undefined : sendResponse(new URLSearchParams(form), call, now())
}

/** This limit is long enough for a request that is passed by value. */
const FORM_LIMIT = 131_072

/** Resources and commands for the verifier. They have no public address. */
async function internal(request: Request, path: string, env: VerifierEnv): Promise<Response | undefined> {
  if (request.method !== 'POST') return issuerResource(path, now())
  const call = callerOf(env)
  if (path === '/response') return respond(await request.json<WalletTask>(), call)
  if (path !== '/repeat') return undefined
  const post = await request.json<Post>()
  return Response.json({ post, response: await postForm(post, call) })
}

/**
 * Sends one response of the test wallet and returns the verifier's reply. 422 with the reason when the wallet
 * cannot respond.
 */
async function respond(task: WalletTask, call: CallVerifier): Promise<Response> {
  const prepared = await prepare(task, call, now())
  if (!prepared.ok) return Response.json(prepared.error, { status: 422 })
  const { post } = prepared.value
  return Response.json({ post, response: await postForm(post, call) })
}

function callerOf(env: VerifierEnv): CallVerifier {
  const call = verifierOf(env)
  return (url, init = {}) =>
    // The verifier refuses requests of live mode to a wallet with this header.
    call?.(url, { ...init, headers: { ...init.headers, 'sandbox-wallet': '1' } }) ??
    Promise.reject(new Error('the sandbox has no BASE_URL'))
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
