// The services of one run: ours on a disk and in memory, ours as `--also` describes it, the peers, and the
// floors.

import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { answerSkeleton, startRequestFloor, startSkeleton } from './floors.ts'
import type { Issuer } from './issuer.ts'
import { PEERS, startPeer } from './peers.ts'
import { type Answer, answerWith } from './run.ts'
import { type Ours, startOurs, type Target } from './target.ts'

/** What is measured in each round: arrivals at a rate, verifications without a pause, or one call alone. */
export type Part = `${number}/s` | 'verify' | 'create' | 'request' | 'poll' | 'picture'

export type Service = {
  /** Its name on the command line and in the tables. */
  readonly name: string
  /** Ours is stored here. */
  readonly place?: 'disk' | 'memory'
  readonly measures: (part: Part) => boolean
  readonly answer: Answer
  readonly isVerifier: boolean
  readonly start: () => Promise<Target>
}

/** Ours, whose disk can be counted. `settings`: those of its relying parties. */
export type OurService = Service & { readonly open: (settings: object) => Promise<Ours> }

/** A file system in memory, on Linux. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const DIRECTORIES = { disk: tmpdir(), memory: MEMORY } as const

/** Returns all services by `--also` and the issuer of the credentials. */
export function allServices(also: readonly string[], issuer: Issuer): readonly Service[] {
  const answer = answerWith(issuer.wallet)
  const peers = PEERS.map((name) => ({
    name,
    measures: (part: Part) => part !== 'picture',
    answer,
    isVerifier: true,
    start: () => startPeer(name, issuer),
  }))
  const unlisted = ours(issuer, 'memory', '', { index: false })
  return [
    ...ourPair(issuer, ''),
    { ...unlisted, name: 'unlisted', measures: (part) => part === 'verify' },
    ...also.flatMap((words) => ourPair(issuer, words)),
    ...peers,
    floor('hello', ['request'], () => startRequestFloor('hello', MEMORY)),
    floor('call', ['request'], () => startRequestFloor('call', MEMORY)),
    floor('own', ['verify', 'create'], () => startSkeleton('own', MEMORY)),
    floor('shared', ['verify', 'create'], () => startSkeleton('shared', MEMORY)),
  ]
}

/** Splits `--also`: variables of the launcher, and the directory of another copy of the project. */
export function parseAlso(words: string): {
  readonly label: string
  readonly directory: string | undefined
  readonly variables: Readonly<Record<string, string>>
} {
  const all = words.split(' ').filter((word) => word !== '')
  const isVariable = (word: string) => /^[A-Z_]+=/.test(word)
  const directories = all.filter((word) => !isVariable(word))
  if (directories.length > 1) throw new Error(`--also: ${words} names more than one directory`)
  const variables = all.filter(isVariable).map((word) => {
    const at = word.indexOf('=')
    return [word.slice(0, at), word.slice(at + 1)] as const
  })
  return {
    label: all.map((word) => (isVariable(word) ? word : basename(word))).join(' '),
    directory: directories[0],
    variables: Object.fromEntries(variables),
  }
}

function ourPair(issuer: Issuer, words: string): readonly OurService[] {
  return [ours(issuer, 'memory', words), ours(issuer, 'disk', words)]
}

function ours(issuer: Issuer, place: 'disk' | 'memory', words: string, settings = {}): OurService {
  const { label, directory, variables } = parseAlso(words)
  const launcher = directory && join(resolve(directory), 'scripts', 'start.mjs')
  const open = (more: object) => {
    const env = { STATE_DIR: mkdtempSync(join(DIRECTORIES[place], 'verifier-')), ...variables }
    return startOurs(issuer.authority, { env, ...(launcher && { launcher }), settings: more })
  }
  return {
    name: label === '' ? place : `${label} ${place}`,
    place,
    measures: () => true,
    answer: answerWith(issuer.wallet),
    isVerifier: true,
    open,
    start: () => open(settings),
  }
}

function floor(name: string, parts: readonly Part[], start: () => Promise<Target>): Service {
  const measures = (part: Part) => parts.includes(part)
  return { name, measures, answer: answerSkeleton, isVerifier: false, start }
}
