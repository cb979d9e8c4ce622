// A visit to the shop, as an object that forgets: one order, erased an hour after it began. All it decides stands in order.ts.

import { DurableObject } from 'cloudflare:workers'
import type { CreatedVerification, Verification, VerificationEvent } from '@wallet-verifier/client/wire'
import { timingSafeEqualText } from '../../../src/crypto/timing-safe.ts'
import type { GoodsId } from './goods.ts'
import {
  type Call,
  newOrder,
  type Order,
  type Webhook,
  withEntry,
  withProof,
  withVerification,
  withWebhook,
} from './order.ts'

/** How long a visit is remembered. */
export const VISIT_SECONDS = 3600

export class ShopVisit extends DurableObject {
  /** Begins the visit. */
  async open(goods: GoodsId, secret: string): Promise<void> {
    this.#save(newOrder(goods, secret))
    await this.ctx.storage.setAlarm(Date.now() + VISIT_SECONDS * 1000)
  }

  /** The order of the visitor who holds the secret. */
  read(secret: string): Order | null {
    const order = this.#load()
    return order !== undefined && timingSafeEqualText(order.secret, secret) ? order : null
  }

  /** The shop called the service: `found` is what it learned, null where nothing. */
  called(call: Call, found: CreatedVerification | Verification | null): Order | null {
    return this.#change((order) => {
      const noted = withEntry(order, call)
      if (found === null) return noted
      return 'client_token' in found ? withProof(noted, found, call.at) : withVerification(noted, found, call)
    })
  }

  /** The service called the shop, and its signature was verified. */
  told(event: VerificationEvent, webhook: Webhook): void {
    this.#change((order) => withWebhook(order, event, webhook))
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** A visit that was erased stays so, whatever still comes for it. */
  #change(change: (order: Order) => Order): Order | null {
    const order = this.#load()
    if (order === undefined) return null
    const changed = change(order)
    this.#save(changed)
    return changed
  }

  #load(): Order | undefined {
    return this.ctx.storage.kv.get<Order>(ORDER)
  }

  #save(order: Order): void {
    this.ctx.storage.kv.put(ORDER, order)
  }
}

const ORDER = 'order'
