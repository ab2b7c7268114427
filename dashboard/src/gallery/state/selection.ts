import { batch, type ReadonlySignal, signal } from '@preact/signals';

/** The cards that were chosen, to do something to all of them. */
export function createSelection() {
  const ids = signal<ReadonlySet<string>>(new Set());
  /** Whether a press chooses instead of opening: from the first choice or the button on, until it is cleared. */
  const active = signal(false);
  /** Where a range begins, and what was chosen without it. */
  let anchor: string | undefined;
  let base: ReadonlySet<string> = new Set();

  function set(next: ReadonlySet<string>): void {
    batch(() => {
      ids.value = next;
      if (next.size > 0) active.value = true;
    });
  }

  return {
    ids: ids as ReadonlySignal<ReadonlySet<string>>,
    active: active as ReadonlySignal<boolean>,

    start(): void {
      active.value = true;
    },
    toggle(id: string): void {
      const next = new Set(ids.peek());
      if (!next.delete(id)) next.add(id);
      anchor = id;
      base = next;
      set(next);
    },
    /** Chooses everything from the card that was chosen last, or else from `from`, to this one. */
    extend(list: readonly string[], from: string | undefined, to: string): void {
      if (anchor === undefined || !list.includes(anchor)) anchor = from ?? to;
      const [a, b] = [list.indexOf(anchor), list.indexOf(to)];
      const range = list.slice(Math.max(0, Math.min(a, b)), Math.max(a, b) + 1);
      set(new Set([...base, ...range]));
    },
    all(list: readonly string[]): void {
      base = new Set(list);
      set(base);
    },
    /** Forgets what is not in the list any more. */
    keep(list: readonly string[]): void {
      if (ids.peek().size === 0) return;
      const present = new Set(list);
      const next = new Set([...ids.peek()].filter((id) => present.has(id)));
      if (next.size === ids.peek().size) return;
      base = next;
      ids.value = next;
    },
    clear(): void {
      anchor = undefined;
      base = new Set();
      batch(() => {
        ids.value = base;
        active.value = false;
      });
    },
  };
}
