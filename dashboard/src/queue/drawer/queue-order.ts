/** A queued job, in the order of its start. */
export interface QueuedPlace {
  readonly id: string;
  readonly priority: number;
}

const LIMIT = 100;

/**
 * Returns the priorities that give the queued jobs the order `wanted`, for the jobs whose priority changes. Jobs with equal priority
 * start in the order of their acceptance, which ids show. Returns undefined if the priorities have no room for the order.
 */
export function prioritiesFor(
  wanted: readonly QueuedPlace[],
): ReadonlyMap<string, number> | undefined {
  const ways = [raised(wanted), lowered(wanted)].filter((way) =>
    [...way.values()].every((priority) => Math.abs(priority) <= LIMIT),
  );
  return ways.toSorted((a, b) => a.size - b.size)[0];
}

/** Returns true if `first` starts before `second` under equal priorities. */
function isEarlier(first: QueuedPlace, second: QueuedPlace): boolean {
  return first.id < second.id;
}

/** Raises jobs that would otherwise start too late, from the last job to the first. */
function raised(wanted: readonly QueuedPlace[]): ReadonlyMap<string, number> {
  const changed = new Map<string, number>();
  let below: QueuedPlace | undefined;
  for (const job of wanted.toReversed()) {
    const least = below && below.priority + (isEarlier(job, below) ? 0 : 1);
    const priority = Math.max(job.priority, least ?? job.priority);
    if (priority !== job.priority) changed.set(job.id, priority);
    below = { ...job, priority };
  }
  return changed;
}

/** Lowers jobs that would otherwise start too early, from the first job to the last. */
function lowered(wanted: readonly QueuedPlace[]): ReadonlyMap<string, number> {
  const changed = new Map<string, number>();
  let above: QueuedPlace | undefined;
  for (const job of wanted) {
    const most = above && above.priority - (isEarlier(above, job) ? 0 : 1);
    const priority = Math.min(job.priority, most ?? job.priority);
    if (priority !== job.priority) changed.set(job.id, priority);
    above = { ...job, priority };
  }
  return changed;
}

/** Moves the chosen ids by one place, or to the first places. Their own order is kept. */
export function moveIds(
  ids: readonly string[],
  chosen: ReadonlySet<string>,
  where: 'up' | 'down' | 'first',
): readonly string[] {
  if (where === 'first') {
    return [...ids.filter((id) => chosen.has(id)), ...ids.filter((id) => !chosen.has(id))];
  }
  if (where === 'down') return moveIds(ids.toReversed(), chosen, 'up').toReversed();
  const moved = [...ids];
  for (let at = 1; at < moved.length; at += 1) {
    const [before, id] = [moved[at - 1], moved[at]];
    if (before === undefined || id === undefined) continue;
    if (chosen.has(id) && !chosen.has(before)) [moved[at - 1], moved[at]] = [id, before];
  }
  return moved;
}

/** Returns the number of ids that have been added, removed or moved between two orders. */
export function countChanges(before: readonly string[], after: readonly string[]): number {
  const [old, next] = [new Set(before), new Set(after)];
  const gone = before.filter((id) => !next.has(id)).length;
  const added = after.filter((id) => !old.has(id)).length;
  const kept = before.filter((id) => next.has(id));
  const moved = after.filter((id) => old.has(id)).filter((id, at) => kept[at] !== id).length;
  return gone + added + moved;
}
