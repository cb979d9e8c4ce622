// The requested claims and credentials in a person's words. A type or scope without words is shown by its
// name, for example a type that the relying party added.

import { parseAgeScope } from '../../../policy/age.ts'
import type { RequestedClaims, RequestedGroup } from '../../../policy/requested-claims.ts'
import { fill, fillCount, type Texts } from './texts.ts'

/** Returns the requested claims, without duplicates. */
export function claimLines({ items }: Pick<RequestedClaims, 'items'>, texts: Texts): readonly string[] {
  const claims = items.map(({ kind, name, optional, retained }) => {
    const thing = kind === 'claim' ? scopeWords(name, texts) : typeWords(name, texts)
    return { words: retained ? fill(texts.retained, { thing }) : thing, optional }
  })
  const required = claims.filter(({ optional }) => !optional).map(({ words }) => words)
  const lines = claims.map(({ words, optional }) =>
    optional && !required.includes(words) ? fill(texts.optional, { thing: words }) : words,
  )
  return [...new Set(lines)]
}

/** Returns one phrase for each group of credentials that the claims may come from. */
export function credentialLines(
  { groups }: Pick<RequestedClaims, 'groups'>,
  texts: Texts,
): readonly string[] {
  return groups.map((group) => {
    const types = combinationWords(group, texts)
    return fill(group.optional ? texts.fromOptional : texts.from, { types })
  })
}

function combinationWords({ alternatives }: RequestedGroup, texts: Texts): string {
  const join = (type: 'conjunction' | 'disjunction', words: readonly string[]) =>
    new Intl.ListFormat(texts.language, { type }).format(words)
  const oneOf = (types: readonly string[]) =>
    join(
      'disjunction',
      types.map((name) => typeWords(name, texts)),
    )
  return join(
    'disjunction',
    alternatives.map((combination) => join('conjunction', combination.map(oneOf))),
  )
}

function typeWords(name: string, texts: Texts): string {
  return ownMember(texts.types, name) ?? name
}

function scopeWords(scope: string, texts: Texts): string {
  const age = parseAgeScope(scope)
  if (age !== undefined) return fillCount(texts.ageScope, 'age', age.years, texts)
  return ownMember(texts.scopes, scope) ?? scope
}

/**
 * Returns the words of a name; `undefined` if there are none. Ignores inherited members: relying parties
 * choose names of types and scopes, so a name may be `constructor`.
 */
function ownMember(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined
}
