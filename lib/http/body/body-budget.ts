import { BridgeError } from '../../errors/bridge-error.ts';

/** The memory counted for the body of one request, from its first byte until the reply is complete. */
export interface BodyLease {
  /** Counts the body with a length of `bytes`. Throws `overloaded` if the budget is exceeded. */
  take(bytes: number): void;
  /** Counts a body that is already in memory, without a check of the budget. */
  count(bytes: number): void;
  /** Ends the lease. Later calls have no effect. */
  end(): void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/**
 * Bodies up to this size are not counted, so that large bodies of other requests cannot block small bodies. The number of
 * small bodies is limited by the number of connections.
 */
const SMALL_BYTES = 65_536;

/**
 * The part of the budget for a scope that already has other bodies in memory. The remaining part is reserved for scopes
 * that have no bodies in memory.
 */
const SHARE = 3 / 4;

const RETRY_AFTER_MS = 1000;

/**
 * Limits the memory of the bodies of all requests together. If no other body is in memory, a body of any length is
 * admitted.
 */
export function createBodyBudget(maxBytes: number) {
  let total = 0;
  const byScope = new Map<string, number>();

  function add(scope: string, bytes: number): void {
    total += bytes;
    const sum = (byScope.get(scope) ?? 0) + bytes;
    if (sum > 0) byScope.set(scope, sum);
    else byScope.delete(scope);
  }

  function hasRoom(scope: string, held: number, wanted: number): boolean {
    const others = total - held;
    if (others === 0) return true;
    const ownOthers = (byScope.get(scope) ?? 0) - held;
    return others + wanted <= (ownOthers > 0 ? maxBytes * SHARE : maxBytes);
  }

  return {
    heldBytes: () => total,

    /** Creates a lease for a body that has `copies` copies in memory while it is parsed and used. */
    open(scope: string, copies: number): BodyLease {
      let held = 0;
      let hasEnded = false;
      const setHeld = (bytes: number) => {
        if (hasEnded) return;
        add(scope, bytes - held);
        held = bytes;
      };
      const costOf = (bytes: number) => (bytes <= SMALL_BYTES ? 0 : bytes * copies);
      return {
        take(bytes) {
          const wanted = costOf(bytes);
          if (wanted > held && !hasRoom(scope, held, wanted)) throw noRoom(maxBytes);
          setHeld(wanted);
        },
        count: (bytes) => setHeld(costOf(bytes)),
        end() {
          setHeld(0);
          hasEnded = true;
        },
      };
    },
  };
}

function noRoom(limit: number): BridgeError {
  return new BridgeError('overloaded', 'memory limit for request bodies reached', {
    details: { reason: 'body_memory', max_buffered_bytes: limit, retry_after_ms: RETRY_AFTER_MS },
  });
}
