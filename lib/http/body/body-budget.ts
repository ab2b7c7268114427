import { BridgeError } from '../../errors/bridge-error.ts';

/** The memory that the body of one request counts as, from its first byte until its reply is complete. */
export interface BodyLease {
  /** Counts the body as `bytes` long. Throws `overloaded` if the budget has no room for it. */
  take(bytes: number): void;
  /** Counts a body that is in memory already. */
  count(bytes: number): void;
  /** Ends the lease. Later calls have no effect. */
  end(): void;
}

export type BodyBudget = ReturnType<typeof createBodyBudget>;

/** A shorter body is never refused: its connection limits it, and long bodies of others must not keep it out. */
const SMALL_BYTES = 65_536;

/** The part of the budget that a scope may use whose other bodies are in memory. The rest is for scopes that have none. */
const SHARE = 3 / 4;

const RETRY_AFTER_MS = 1000;

/** Limits the memory of the bodies of all requests together. One body is always admitted, whatever its length. */
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

    /** A lease for a body of which `copies` are in memory while it is parsed and used. */
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
  return new BridgeError('overloaded', 'the bodies of other requests fill the memory for bodies', {
    details: { reason: 'body_memory', max_buffered_bytes: limit, retry_after_ms: RETRY_AFTER_MS },
  });
}
