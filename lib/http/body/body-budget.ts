import { BridgeError } from '../../errors/bridge-error.ts';

/** The memory that is counted for one body, from its first byte until the reply is complete. */
interface BodyLease {
  /** Sets the length of the body. Throws `overloaded` if the budget is exceeded. */
  take(bytes: number): void;
  /** Sets the length of a body that is already in memory. The budget is not checked. */
  count(bytes: number): void;
  /** Ends the lease. Later calls have no effect. */
  end(): void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

// Small bodies are not counted, so that large bodies of other requests cannot block small bodies.
const SMALL_BYTES = 65_536;

// The part of the budget for a scope that already has bodies in memory. The remaining part is reserved for other scopes.
const SHARE = 3 / 4;

const RETRY_AFTER_MS = 1000;

/** Limits the total memory of the bodies of all requests. If no other body is in memory, a body of any length is admitted. */
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

    /** Creates a lease for a body of which `copies` copies are in memory while the request is parsed and used. */
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
