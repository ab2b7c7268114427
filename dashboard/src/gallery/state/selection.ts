import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { JobCounts } from '../../jobs/job-counts.ts';
import type { JobFilter } from '../../jobs/job-filter.ts';

/** All jobs under a filter, also those that the page has not read. */
export interface WholeList {
  readonly filter: JobFilter;
  /** Undefined until the bridge has counted the jobs. */
  readonly counts: JobCounts | undefined;
}

export type Selection = ReturnType<typeof createSelection>;

/** Creates the selection, which is either a set of cards or a whole list. `jobsOf` returns the jobs that share a card. */
export function createSelection(jobsOf: (card: string) => readonly string[] = (card) => [card]) {
  const ids = signal<ReadonlySet<string>>(new Set());
  const whole = signal<WholeList | undefined>(undefined);
  /** True if a press on a card selects the card instead of opening its job. */
  const active = signal(false);
  /** The card at which a range starts, and the ids that are selected besides the range. */
  let anchor: string | undefined;
  let base: ReadonlySet<string> = new Set();

  function set(next: ReadonlySet<string>): void {
    batch(() => {
      ids.value = next;
      whole.value = undefined;
      if (next.size > 0) active.value = true;
    });
  }

  return {
    /** The selected cards. Empty if a whole list is selected. */
    ids: ids as ReadonlySignal<ReadonlySet<string>>,
    /** The selected list. Undefined if cards are selected. */
    whole: whole as ReadonlySignal<WholeList | undefined>,
    active: active as ReadonlySignal<boolean>,

    start(): void {
      active.value = true;
    },
    toggle(id: string): void {
      const next = new Set(ids.peek());
      const own = jobsOf(id);
      const isPicked = own.every((job) => next.has(job));
      for (const job of own) isPicked ? next.delete(job) : next.add(job);
      anchor = id;
      base = next;
      set(next);
    },
    /** Selects a range that ends at `to`. The range starts at the last selected card, or else at `from`. */
    extend(list: readonly string[], from: string | undefined, to: string): void {
      if (anchor === undefined || !list.includes(anchor)) anchor = from ?? to;
      const ends = [jobsOf(anchor), jobsOf(to)].flatMap((own) =>
        [own.at(0), own.at(-1)].map((id = '') => list.indexOf(id)),
      );
      const range = list.slice(Math.max(0, Math.min(...ends)), Math.max(...ends) + 1);
      set(new Set([...base, ...range]));
    },
    all(list: readonly string[]): void {
      base = new Set(list);
      set(base);
    },
    /** Selects a whole list, or replaces its counts. */
    allOf(list: WholeList): void {
      batch(() => {
        set(new Set());
        whole.value = list;
        active.value = true;
      });
      anchor = undefined;
      base = new Set();
    },
    /**
     * Removes ids that are no longer in the list from the selection. `before` is the list before the change. Ids that are in neither
     * list stay selected, unless `before` is undefined because the list belongs to another filter.
     */
    keep(list: readonly string[], before?: readonly string[] | undefined): void {
      if (ids.peek().size === 0) return;
      const present = new Set(list);
      const gone = before && new Set(before.filter((id) => !present.has(id)));
      const isKept = (id: string) => (gone === undefined ? present.has(id) : !gone.has(id));
      const next = new Set([...ids.peek()].filter(isKept));
      if (next.size === ids.peek().size) return;
      base = next;
      ids.value = next;
    },
    clear(): void {
      anchor = undefined;
      base = new Set();
      batch(() => {
        ids.value = base;
        whole.value = undefined;
        active.value = false;
      });
    },
  };
}
