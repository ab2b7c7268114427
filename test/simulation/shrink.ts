import type { RunReport } from './run-schedule.ts';
import type { Action, Schedule } from './schedule.ts';

/** The number of runs after which the shortest schedule so far is returned. */
const MAX_RUNS = 400;

/**
 * Resolves with a part of a failing schedule that still fails in the same way: delta debugging (Zeller and Hildebrandt, 2002), which
 * drops ever smaller groups of actions. The remaining actions keep their names, their times and their decisions.
 */
export async function shrink(
  simulation: { run(schedule: Schedule): Promise<Pick<RunReport, 'violations'>> },
  schedule: Schedule,
  violation: string,
): Promise<Schedule> {
  const fails = async (actions: readonly Action[]) => {
    const { violations } = await simulation.run({ ...schedule, actions });
    return violations.some((other) => kindOf(other) === kindOf(violation));
  };
  let { actions } = schedule;
  let groups = 2;
  for (let runs = 0; runs < MAX_RUNS && actions.length > 1; runs += 1) {
    const found = await findFailing(fails, actions, groups);
    if (found) {
      actions = found;
      groups = Math.max(groups - 1, 2);
    } else if (groups < actions.length) groups = Math.min(groups * 2, actions.length);
    else break;
  }
  return { ...schedule, actions };
}

/** Resolves with the actions without one of the groups, if the run still fails without it. */
async function findFailing(
  fails: (actions: readonly Action[]) => Promise<boolean>,
  actions: readonly Action[],
  groups: number,
): Promise<readonly Action[] | undefined> {
  const size = Math.ceil(actions.length / groups);
  for (let start = 0; start < actions.length; start += size) {
    const rest = [...actions.slice(0, start), ...actions.slice(start + size)];
    if (await fails(rest)) return rest;
  }
  return undefined;
}

/** Returns a violation without its ids and numbers, which differ between the parts of a schedule. */
function kindOf(violation: string): string {
  return violation.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/g, '');
}
