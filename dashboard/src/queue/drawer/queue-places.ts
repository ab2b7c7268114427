import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { OwnQueue } from '../../api/schemas.ts';
import type { JobBatches } from '../../jobs/job-batches.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Toasts } from '../../shell/toasts.ts';
import { text } from '../../text/text.ts';
import type { OwnQueuePlaces } from '../own-queue.ts';
import { countChanges, moveIds, prioritiesFor } from './queue-order.ts';

interface Deps {
  readonly ownQueue: OwnQueuePlaces;
  readonly jobs: Jobs;
  readonly batches: JobBatches;
  readonly toasts: Toasts;
}

export type QueuePlaces = ReturnType<typeof createQueuePlaces>;

/** Creates the state of the open queue: the places of the jobs, the shown order, the selection and the focused row. */
export function createQueuePlaces({ ownQueue, jobs, batches, toasts }: Deps) {
  const { latest, error, read } = ownQueue;
  /** The order that is kept while the pointer or the focus is in the list. */
  const held = signal<readonly string[] | undefined>(undefined);
  const chosen = signal<ReadonlySet<string>>(new Set());
  const cursor = createRowCursor();
  let isHolding = false;

  const order = computed(() => latest.value?.waiting.map(({ id }) => id) ?? []);
  const shown = computed(() => held.value ?? order.value);
  const places = computed(
    () => new Map(latest.value?.waiting.map((place) => [place.id, place] as const)),
  );

  const stop = effect(() => {
    void latest.value;
    if (held.peek() === undefined || held.peek()?.length === 0) apply();
  });

  /** Shows the latest order. Selected jobs that no longer wait are deselected. */
  function apply(): void {
    batch(() => {
      held.value = isHolding ? order.peek() : undefined;
      const present = new Set(order.peek());
      chosen.value = new Set([...chosen.peek()].filter((id) => present.has(id)));
      if (!present.has(cursor.id.peek() ?? '')) cursor.id.value = order.peek()[0];
    });
  }

  /** Reads the places after an own action, and shows them although the focus is in the list. */
  async function readAndApply(): Promise<void> {
    // The first call may join a read that began before the action.
    await read();
    await read();
    apply();
  }

  return {
    latest,
    error,
    /** The ids of the waiting jobs, in the shown order. */
    shown: shown as ReadonlySignal<readonly string[]>,
    places: places as ReadonlySignal<ReadonlyMap<string, OwnQueue['waiting'][number]>>,
    /** The number of changes that wait until the pointer and the focus leave the list. */
    changes: computed(() => (held.value === undefined ? 0 : countChanges(held.value, order.value))),
    chosen,
    cursor,
    read,
    apply,
    /** Stops following the queue. */
    close: stop,

    /** Keeps the shown order while `isInside` is true. */
    hold(isInside: boolean): void {
      if (isHolding === isInside) return;
      isHolding = isInside;
      if (isInside) held.value = order.peek();
      else apply();
    },

    /** Returns the selected jobs in their order, or the focused job if no job is selected. */
    targets(): readonly string[] {
      const selected = shown.peek().filter((id) => chosen.peek().has(id));
      if (selected.length > 0) return selected;
      return cursor.id.peek() === undefined ? [] : [cursor.id.peek() ?? ''];
    },

    /** Moves jobs by one place or to the first places, by changing the priorities of as few jobs as possible. */
    async move(ids: readonly string[], where: 'up' | 'down' | 'first'): Promise<void> {
      const wanted = moveIds(order.peek(), new Set(ids), where);
      const priorities = prioritiesFor(
        wanted.map((id) => ({ id, priority: jobs.get(id)?.priority ?? 0 })),
      );
      if (priorities === undefined) {
        toasts.show({ kind: 'refused', text: text('queue.noRoom') });
        return;
      }
      // The new order is shown at once. The next read shows the order of the bridge.
      held.value = wanted;
      await setPriorities(batches, priorities);
      await readAndApply();
    },

    /** Cancels waiting jobs. Undo queues their requests again. */
    async cancel(ids: readonly string[]): Promise<void> {
      const at = Math.min(...ids.map((id) => shown.peek().indexOf(id)));
      await batches.change({ action: 'cancel' }, ids, 'gallery.wasCancelled');
      await readAndApply();
      cursor.focus(order.peek()[Math.min(Math.max(at, 0), order.peek().length - 1)]);
    },
  };
}

/** Sends one request for each new priority. */
async function setPriorities(
  batches: JobBatches,
  priorities: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [priority, group] of Map.groupBy(priorities, ([, each]) => each)) {
    const ids = group.map(([id]) => id);
    await batches.change({ action: 'priority', priority }, ids);
  }
}

/** Creates the state of the row that has the focus, or that gets the focus as soon as it exists. */
function createRowCursor() {
  const id = signal<string | undefined>(undefined);
  const wanted = signal<string | undefined>(undefined);
  return {
    id,
    /** The row that takes the focus as soon as the row is rendered. */
    wanted,
    /** Moves the focus to a row. If there is no row, moves the focus to the heading of the queue. */
    focus(to: string | undefined): void {
      if (to === undefined) document.getElementById('queue-title')?.focus();
      wanted.value = to;
      id.value = to;
    },
  };
}
