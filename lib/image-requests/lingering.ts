interface Outcome {
  readonly key: { readonly scope: string };
  readonly bytes: number;
}

/**
 * Holds outcomes that no client waits for, up to `maxBytes` in all. Beyond it the scope that holds the most loses its largest
 * outcome first, the oldest of equally large ones.
 */
export function createLingering<O extends Outcome>(maxBytes: number) {
  const held = new Set<O>();
  let heldBytes = 0;

  function remove(outcome: O): void {
    if (held.delete(outcome)) heldBytes -= outcome.bytes;
  }

  return {
    /** Returns the outcomes that had to go, which may include the new one. */
    add(outcome: O): readonly O[] {
      held.add(outcome);
      heldBytes += outcome.bytes;
      const evicted: O[] = [];
      while (heldBytes > maxBytes) {
        const largest = largestOf(held);
        if (!largest) break;
        remove(largest);
        evicted.push(largest);
      }
      return evicted;
    },

    delete: remove,
  };
}

/** The largest outcome of the scope that holds the most bytes. */
function largestOf<O extends Outcome>(held: Iterable<O>): O | undefined {
  const byScope = Map.groupBy(held, ({ key }) => key.scope);
  const [first, ...others] = [...byScope.values()].map((outcomes) => ({
    outcomes,
    bytes: outcomes.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  if (!first) return undefined;
  const { outcomes } = others.reduce(
    (max, scope) => (scope.bytes > max.bytes ? scope : max),
    first,
  );
  return outcomes.reduce((max, outcome) => (outcome.bytes > max.bytes ? outcome : max));
}
