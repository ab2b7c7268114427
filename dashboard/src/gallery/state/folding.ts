import { computed, type ReadonlySignal } from '@preact/signals';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { type FoldedCards, foldRuns } from '../layout/fold-runs.ts';
import type { createShapes } from './shapes.ts';

interface Deps {
  readonly feed: ReadonlySignal<JobFeed>;
  /** The ids of the jobs to show, newest first. */
  readonly shown: ReadonlySignal<readonly string[]>;
  readonly shapes: Pick<ReturnType<typeof createShapes>, 'get' | 'version'>;
}

export type Folding = ReturnType<typeof createFolding>;

const NO_RUNS: FoldedCards['runs'] = new Map();

/** Decides which jobs share a card: neighbours that were cancelled while they waited. A list of one state has a card for each job. */
export function createFolding({ feed, shown, shapes }: Deps) {
  const folded = computed((): FoldedCards => {
    void shapes.version.value;
    const cards = shown.value.map(shapes.get).filter((shape) => shape !== undefined);
    return feed.value.filter.status === undefined ? foldRuns(cards) : { cards, runs: NO_RUNS };
  });
  return {
    /** The cards to show, newest first. */
    cards: computed(() => folded.value.cards),

    /** Returns the ids of the jobs of a card, newest first. */
    jobsOf: (card: string): readonly string[] => folded.peek().runs.get(card) ?? [card],

    /** Returns the id of the card that shows a job. */
    cardOf(id: string): string {
      const { runs } = folded.peek();
      if (runs.has(id)) return id;
      for (const [card, ids] of runs) if (ids.includes(id)) return card;
      return id;
    },
  };
}
