// Files that the commands of the documentation write: they hold keys, so git must ignore each of them.

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { blocksOf, pagesOfDocumentation } from './pages.ts'

const WRITTEN = /(?:^|\s)(?:>|-?-out)\s+((?!\/|\.\.\/)[\w./-]+)/g

/** Returns the files that the commands of a page write below the checkout. */
function filesOf(page: string): readonly string[] {
  const commands = blocksOf(page).filter(({ language }) => language === 'sh' || language === 'console')
  return commands.flatMap(({ text }) => [...text.matchAll(WRITTEN)].map(([, file = '']) => file))
}

const isIgnored = (file: string) => spawnSync('git', ['check-ignore', '--no-index', '-q', file]).status === 0

const PAGES = pagesOfDocumentation()

describe('the secret files that the commands of the documentation write', () => {
  it('include .dev/created.json and .dev/verifier.key', () => {
    expect(PAGES.flatMap(filesOf)).toEqual(expect.arrayContaining(['.dev/created.json', '.dev/verifier.key']))
  })

  it.each(PAGES.filter((page) => filesOf(page).length > 0))('are ignored by git: %s', (page) => {
    expect(filesOf(page).filter((file) => !isIgnored(file))).toEqual([])
  })

  it.each(['verifier.key', 'docs/x.csr', 'chain.pem', 'production.env'])(
    'are ignored by git in any folder: %s',
    (file) => {
      expect(isIgnored(file)).toBe(true)
    },
  )

  it.each(['test/vectors/chain.pem', 'test/vectors/a/b.key', 'package.json'])(
    'are ignored by rules that do not ignore %s',
    (file) => {
      expect(isIgnored(file)).toBe(false)
    },
  )
})
