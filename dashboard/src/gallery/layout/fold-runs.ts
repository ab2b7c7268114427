import type { Shape } from './row-layout.ts';

/** The smallest number of jobs that share one card. */
const SHORTEST = 3;

/** The cards of a list, in which some jobs share a card. */
export interface FoldedCards {
  readonly cards: readonly Shape[];
  /** The ids of the jobs that share a card, newest first, by the id of the card. */
  readonly runs: ReadonlyMap<string, readonly string[]>;
}

/**
 * Replaces neighbouring cards of one day that have nothing to show by one card, so that the images stay together. The card has the
 * id of its newest job.
 */
export function foldRuns(shapes: readonly Shape[]): FoldedCards {
  const cards: Shape[] = [];
  const runs = new Map<string, readonly string[]>();
  for (let from = 0; from < shapes.length; ) {
    const to = endOfRun(shapes, from);
    const run = shapes.slice(from, to);
    const [first] = run;
    if (first === undefined || run.length < SHORTEST) cards.push(...run);
    else {
      cards.push({ ...first, count: run.length });
      runs.set(
        first.id,
        run.map(({ id }) => id),
      );
    }
    from = to;
  }
  return { cards, runs };
}

/** Returns the index after the last job that may share the card of the job at `from`. */
function endOfRun(shapes: readonly Shape[], from: number): number {
  const first = shapes[from];
  const isAlike = (shape: Shape | undefined) =>
    first?.isEmpty === true && shape?.isEmpty === true && shape.day === first.day;
  let to = from + 1;
  while (isAlike(shapes[to])) to += 1;
  return to;
}
