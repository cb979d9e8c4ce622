// Texts and a link that a relying party shows to people on the hosted page. All of them are optional in a
// create request.

import * as z from 'zod/mini'
import { ONE_LINE, text } from '../codec/schema.ts'

/**
 * Returns the schema of one line that people read beside the name of the relying party. Control characters
 * are rejected, among them characters that change the direction of text. The joiners U+200C and U+200D are
 * accepted, because Persian and Hindi need them.
 */
export const line = (characters: number) =>
  text(characters).check(
    z.refine(
      (words) => words.trim() === words && !/\p{C}/u.test(words.replace(/[\u200c\u200d]/g, '')),
      'must be one line without outer spaces or control characters',
    ),
    z.meta({ pattern: ONE_LINE }),
  )

/**
 * Schemas by member. The relying party writes the texts in the language of `locale`. If a member is added
 * here, the hosted page must be changed to show it.
 */
export const pageTexts = {
  heading: z.exactOptional(line(100)),
  purpose: z.exactOptional(line(200)),
  /** Page for people without a wallet. The URL must be registered in the settings. */
  alternative_url: z.exactOptional(text(2048)),
}

/** Name of a text or link on the hosted page. */
export type PageText = keyof typeof pageTexts

/**
 * Returns an object with one member for each text. `make` gets the name of a text, and returns the value of
 * its member.
 */
export function mapPageTexts<T>(make: (name: PageText) => T): Readonly<Record<PageText, T>> {
  const names = Object.keys(pageTexts) as PageText[] // the members of a constant
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<PageText, T>
}
