// Variables of `npm start`: their names, and what is said about misspelt names.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { KNOWN, misspeltNames } from '../../scripts/service/variables.mjs'

it.each([
  ['BASEURL', 'BASE_URL'],
  ['BASE_UR', 'BASE_URL'],
  ['base_url', 'BASE_URL'],
  ['STATE_DRI', 'STATE_DIR'],
  ['STATEDIR', 'STATE_DIR'],
  ['ADMIN_TOKENS', 'ADMIN_TOKEN'],
  ['ALLOW_LOOPBAK', 'ALLOW_LOOPBACK'],
  ['CLIENT_IP_HAEDER', 'CLIENT_IP_HEADER'],
  ['VERIFIER_CERTIFICATE_CHAIN_PERM', 'VERIFIER_CERTIFICATE_CHAIN_PEM'],
  ['Port', 'PORT'],
])('the check of variables reports %s, and suggests %s', (name, meant) => {
  expect(misspeltNames({ [name]: 'x' })).toEqual([
    `${name} is not a variable of this service and is ignored. Did you mean ${meant}?`,
  ])
})

it('the check of variables ignores names of other programs', () => {
  const names = [
    'HOME',
    'HOSTNAME',
    'PATH',
    'PWD',
    'TERM',
    'LANG',
    'USER',
    'SHELL',
    'STATE_DIRECTORY',
    'NODE_ENV',
  ]
  expect(misspeltNames(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
})

it('the check of variables accepts a misspelt name if the right name is also set', () => {
  expect(misspeltNames({ BASEURL: 'x', BASE_URL: 'https://verifier.example' })).toEqual([])
})

it('the check of variables accepts exactly the variables in docs/configuration.md that the launcher does not set', () => {
  const rows = readFileSync('docs/configuration.md', 'utf8').split('\n')
  const named = rows
    .filter((row) => row.startsWith('| `') && !row.includes('set by the launcher'))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
    .filter((name) => !['JURISDICTION', 'CF_VERSION_METADATA', 'BOOT_ID'].includes(name ?? ''))
  expect(named.toSorted()).toEqual(KNOWN.toSorted())
})
