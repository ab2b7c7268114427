/** First come, first served. Joining, leaving from any place and calling the next one take constant time. */
export interface FifoQueue<T> {
  /** Joins at the end; the returned function leaves, from wherever one then stands. */
  join(item: T): () => void;
  /** Whoever stands first, who thereby leaves. */
  next(): T | undefined;
}

interface Place<T> {
  readonly item: T;
  isLeft: boolean;
  before: Place<T> | undefined;
  behind: Place<T> | undefined;
}

// A linked list: a Set keeps the places of those who left, and finding its first member becomes slow.
export function createFifoQueue<T>(): FifoQueue<T> {
  let first: Place<T> | undefined;
  let last: Place<T> | undefined;

  function leave(place: Place<T>): void {
    if (place.isLeft) return;
    place.isLeft = true;
    const { before, behind } = place;
    if (before) before.behind = behind;
    else first = behind;
    if (behind) behind.before = before;
    else last = before;
    // Whoever has left, and lives on for the collector, must not keep all who came later.
    place.before = undefined;
    place.behind = undefined;
  }

  return {
    join(item) {
      const place: Place<T> = { item, isLeft: false, before: last, behind: undefined };
      if (last) last.behind = place;
      else first = place;
      last = place;
      return () => leave(place);
    },
    next() {
      const place = first;
      if (place) leave(place);
      return place?.item;
    },
  };
}
