import { computed, type ReadonlySignal } from '@preact/signals';
import type { JobFeed } from '../../jobs/job-feed.ts';
import { type FoldedCards, foldRuns } from '../layout/fold-runs.ts';
import type { Shape } from '../layout/row-layout.ts';
import type { createShapes } from './shapes.ts';

interface Deps {
  readonly feed: ReadonlySignal<JobFeed>;
  /** The ids of the jobs to show, newest first. */
  readonly shown: ReadonlySignal<readonly string[]>;
  readonly shapes: Pick<ReturnType<typeof createShapes>, 'of' | 'version'>;
}

export type Folding = ReturnType<typeof createFolding>;

const NO_RUNS: FoldedCards['runs'] = new Map();

/** Decides which jobs share a card: neighbours that were cancelled while they waited. A list of one state has a card for each job. */
export function createFolding({ feed, shown, shapes }: Deps) {
  const folded = computed(() => {
    void shapes.version.value;
    const { value: ids } = shown;
    if (feed.value.filter.status !== undefined) return { ids, runs: NO_RUNS };
    const { cards, runs } = foldRuns(shapes.of(ids));
    return { ids: runs.size === 0 ? ids : cards.map(({ id }) => id), runs };
  });
  return {
    /** The ids of the cards to show, newest first. */
    cards: computed(() => folded.value.ids),

    /** Returns the shapes of the cards to show, newest first. They are not kept, because a long list has many cards. */
    shapes(): readonly Shape[] {
      const { ids, runs } = folded.value;
      return shapes.of(ids).map((shape) => {
        const count = runs.get(shape.id)?.length;
        return count === undefined ? shape : { ...shape, count };
      });
    },

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
