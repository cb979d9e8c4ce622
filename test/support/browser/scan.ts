// A camera in front of the screen.

import type { FrameLocator, Page } from 'playwright-core'
import { readWithZxing } from '../../qr/foreign-readers.ts'

/**
 * Reads the QR code on the screen as a camera does. `frame`: the frame with the QR code, if the code is not
 * on the page itself.
 */
export async function scan(page: Page, frame: Page | FrameLocator = page): Promise<string> {
  await frame.locator('#qr').scrollIntoViewIfNeeded()
  const [uri] = await readWithZxing(new Uint8Array(await page.screenshot()))
  if (uri === undefined) throw new Error('no QR code is visible')
  return uri
}
