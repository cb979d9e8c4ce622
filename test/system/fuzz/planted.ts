// The fuzz of copies of the project with planted faults. It must find all of them.

import { copyProject } from '../../support/service/project-copy.ts'
import { faultOf } from './documented.ts'
import type { Ledger } from './ledger.ts'
import type { PlantedFault } from './planted-faults.ts'
import { type Plan, runFuzz } from './run.ts'

/**
 * Runs the fuzz on copies with these faults. No two faults of a copy show at one route. Returns the rooms
 * whose faults the runs did not find.
 */
export async function runPlanted(
  faults: readonly PlantedFault[],
  plan: Pick<Plan, 'seed' | 'requests'>,
): Promise<readonly string[]> {
  const first = faults.filter((fault, i) => !faults.slice(0, i).some((other) => meet(fault, other)))
  const others = faults.filter((fault) => !first.includes(fault))
  const missed = await runTogether(first, plan)
  return others.length === 0 ? missed : [...missed, ...(await runPlanted(others, plan))]
}

function meet({ routes }: PlantedFault, other: PlantedFault): boolean {
  return routes.some((route) => other.routes.includes(route))
}

async function runTogether(
  faults: readonly PlantedFault[],
  plan: Pick<Plan, 'seed' | 'requests'>,
): Promise<readonly string[]> {
  const { launcher, remove } = copyProject(faults.map(({ change }) => change))
  try {
    const until = ({ findings }: Ledger) => unfound(faults, findings).length === 0
    const { findings } = await runFuzz({ ...plan, launcher, until })
    return unfound(faults, findings)
  } finally {
    remove()
  }
}

function unfound(faults: readonly PlantedFault[], findings: Ledger['findings']): readonly string[] {
  const isFound = ({ routes }: PlantedFault) =>
    routes.some((route) => findings.some(({ error }) => error === faultOf(route)))
  return faults.filter((fault) => !isFound(fault)).map(({ room }) => room)
}
