// Durable Object of one verification session. On Cloudflare each session has its own object. On other
// platforms only two kinds of sessions have their own object: sessions created with `SESSION_OBJECTS=0`, and
// sessions in a state directory of version 0.2.0.

import { DurableObject } from 'cloudflare:workers'
import { loadConfig } from '../config.ts'
import { type Env, withJurisdiction } from '../env.ts'
import { toVerificationId } from '../relying-party/document/session-stub.ts'
import { parseWatchAddress } from './access.ts'
import { Session } from './session.ts'
import { openOwnSlot } from './store/slot.ts'
import { VERBS, type Verb } from './verbs.ts'
import { refuseMessage } from './views/watcher.ts'

/** Base class whose type has the methods of a session. The static block below adds these methods. */
const SessionObject = DurableObject as new (
  ctx: DurableObjectState,
  env: Env,
) => DurableObject<Env> & Pick<Session, Verb>

export class VerificationSession extends SessionObject {
  readonly #session: Session

  static {
    for (const verb of VERBS) {
      const value = function (this: VerificationSession, ...args: unknown[]): unknown {
        return Reflect.apply(this.#session[verb], this.#session, args)
      }
      Object.defineProperty(VerificationSession.prototype, verb, {
        value,
        configurable: true,
        writable: true,
      })
    }
  }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withJurisdiction(env))
    const hasPrice = loadConfig(this.env).listeningPort === null // on Cloudflare
    this.#session = new Session(openOwnSlot(ctx, { id: toVerificationId(ctx.id), hasPrice }), this.env)
  }

  /** Accepts the WebSocket of a watcher at a `watchAddress`. */
  override fetch(request: Request): Promise<Response> {
    return this.#session.watch(parseWatchAddress(request.url))
  }

  override webSocketMessage(socket: WebSocket): void {
    refuseMessage(socket)
  }

  override alarm(): Promise<void> {
    return this.#session.alarm()
  }
}
