// Two releases of the present sources, as two people make them. All tests of releases use them.

import { join } from 'node:path'
import { expect } from 'vitest'
import { cloneSources, emptyFolder, release } from './archive.ts'
import { hasDebian } from './places.ts'

export const work = emptyFolder()
export const clones = [join(work, 'a'), join(work, 'another-place', 'b')] as const
/** The folders of the two releases. */
export const [out, again] = [join(work, 'out'), join(work, 'out-again')]
/** True if the releases have an image. */
export const withImage = hasDebian()

let built: Promise<void> | undefined

/** Builds both releases once. */
export function buildBoth(): Promise<void> {
  built ??= build()
  return built
}

async function build(): Promise<void> {
  for (const clone of clones) cloneSources(clone)
  const options = withImage ? ['--image'] : []
  const made = await Promise.all([
    release(clones[0], '022', '--out', out, ...options),
    release(clones[1], '077', '--out', again, ...options),
  ])
  for (const { status, output } of made) expect(status, output).toBe(0)
}
