// What is asked, in a person's words. A type or scope that has none (a relying party may add its own) goes by its name.

import { parseAgeScope } from '../../policy/age.ts'
import type { PageView } from '../../session/view.ts'
import { fill, type Texts } from './texts.ts'

/** The claims asked for, each once. */
export function askedClaims(asked: Pick<PageView, 'scope'>, texts: Texts): readonly string[] {
  return [...new Set(asked.scope.map((scope) => scopeInWords(scope, texts)))]
}

/** The credentials they may come from, as one phrase. */
export function askedTypes(
  asked: Pick<PageView, 'credential_types' | 'credential_match'>,
  texts: Texts,
): string {
  const type = asked.credential_match === 'all' ? 'conjunction' : 'disjunction'
  const words = asked.credential_types.map((name) => own(texts.types, name) ?? name)
  return new Intl.ListFormat(texts.language, { type }).format(words)
}

function scopeInWords(scope: string, texts: Texts): string {
  const age = parseAgeScope(scope)
  if (age !== undefined) return fill(texts.ageScope, { age: String(age.years) })
  return own(texts.scopes, scope) ?? scope
}

/** A relying party names its own types and scopes: `constructor` is a name like any other. */
function own(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}
