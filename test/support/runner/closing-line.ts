// The reporter that ends a run on the line "N passed, N failed, N skipped". With CI set, a skipped test fails
// the run.

import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { type FileResult, summarise } from './summary.ts'

export class ClosingLine implements Reporter {
  #projects: readonly string[] = []
  #files: readonly TestSpecification[] = []

  onInit({ projects }: Vitest): void {
    // scripts/test.mjs sets the variable for a run of all tests.
    if (process.env.EVERY_PROJECT !== undefined) this.#projects = projects.map(({ name }) => name)
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#files = files
  }

  onTestRunEnd(): void {
    const { CI, CI_FULL } = process.env
    const { errors, lines } = summarise(this.#files.map(resultOf), {
      projects: this.#projects,
      noSkips: CI !== undefined,
      everyTool: CI_FULL === '1',
    })
    for (const error of errors) console.error(error)
    for (const line of lines) console.log(line)
    if (errors.length > 0) process.exitCode = 1
  }
}

type Counts = Pick<FileResult['tests'][number], 'refusals' | 'judged'>

function resultOf({ project, moduleId, testModule }: TestSpecification): FileResult {
  return {
    project: project.name,
    path: moduleId,
    state: stateOf(testModule),
    tests: [...(testModule?.children.allTests() ?? [])].flatMap((test) => {
      const { state } = test.result()
      const { refusals = {}, judged = {} } = test.meta() as Counts
      return state === 'pending' ? [] : [{ name: test.fullName, state, refusals, judged }]
    }),
  }
}

function stateOf(module: TestModule | undefined): FileResult['state'] {
  const state = module?.state() ?? 'pending'
  return state === 'pending' || state === 'queued' ? 'unfinished' : state
}
