import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Stores } from '../../../lib/storage/open-stores.ts';

/** A call of a store method that has not been made yet. */
export interface StoreStep {
  readonly port: string;
  readonly method: string;
  /** Store: the state database or the folder of artifacts. */
  readonly disk: 'state' | 'files';
  readonly isWrite: boolean;
}

/**
 * `pass`: no fault. `full`: the disk rejects the write. `failed`: the call takes effect and is reported as a failure. `lost`: the
 * process ends before the call. `unheard`: the process ends after the call and before its result.
 */
export type Verdict = 'pass' | 'full' | 'failed' | 'lost' | 'unheard';

export interface FaultyStores {
  readonly stores: Stores;
  /** Resolves when no call is running, then closes the wrapped stores. */
  close(): Promise<void>;
}

interface Faults {
  /** Decides the fault of each call. */
  onStep(step: StoreStep): Verdict;
  /** Resolves when the store begins a call. By default, the store begins each call at once. */
  untilBegun?(step: StoreStep): Promise<void>;
  /** Resolves when the answer to a call arrives. By default, an answer arrives at once. */
  untilAnswered?(): Promise<void>;
  /** Ends the process. */
  die(): void;
  isDead(): boolean;
}

const READS =
  /^(find|list|read|is|needs|charged|refuse|totals|summaries|changes|stamp|probe|sizes|open|pending|count|state)/;

// The search index is rebuilt if it is missing. Notices and progress are never stored. Permits wait until the store is available.
const NOT_STORED = new Set(['search', 'notices', 'progress', 'permits']);

// Asks another store before it removes the image, and never ends if the process ends before the answer.
const CALLS_BACK = new Set(['storedInputs.remove']);

// Lists in batches. They begin at once, and a fault comes instead of the first batch.
const LISTS = new Set(['storedInputs.list']);

const NEVER = new Promise<never>(() => {});

type Method = (...args: unknown[]) => unknown;

/** Adds disk faults and the end of the process to every method of every store. */
export function createFaultyStores(stores: Stores, faults: Faults): FaultyStores {
  const { onStep, untilBegun, untilAnswered = async () => {}, die, isDead } = faults;
  const pending = new Set<Promise<unknown>>();

  function begin({ port, method }: StoreStep, call: () => unknown): unknown {
    const begun = call();
    if (!(begun instanceof Promise) || CALLS_BACK.has(`${port}.${method}`)) return begun;
    pending.add(begun);
    begun.then(
      () => pending.delete(begun),
      () => pending.delete(begun),
    );
    return begun;
  }

  /** Settles as the call does, unless the process has ended. */
  function whileAlive(begun: unknown): unknown {
    if (!(begun instanceof Promise)) return begun;
    return new Promise((resolve, reject) => {
      begun.then(
        (value) => untilAnswered().then(() => isDead() || resolve(value)),
        (error) => untilAnswered().then(() => isDead() || reject(error)),
      );
    });
  }

  function faulty(port: string, method: string, call: Method): Method {
    const isWrite = !READS.test(method);
    const disk = port === 'artifactFiles' || port === 'storedInputs' ? 'files' : 'state';
    const step = { port, method, disk, isWrite } as const;
    if (LISTS.has(`${port}.${method}`)) {
      return async function* list(...args) {
        yield* (await beginCall(...args)) as AsyncIterable<unknown>;
      };
    }
    if (!untilBegun) return beginCall;
    return (...args) => untilBegun(step).then(() => beginCall(...args));

    function beginCall(...args: unknown[]): unknown {
      if (isDead()) return NEVER;
      switch (onStep(step)) {
        case 'pass':
          return whileAlive(begin(step, () => call(...args)));
        case 'full':
          return Promise.reject(refusalOf(disk));
        case 'failed':
          return Promise.resolve(begin(step, () => call(...args))).then(() => {
            throw refusalOf(disk);
          });
        case 'lost':
          die();
          return NEVER;
        case 'unheard':
          begin(step, () => call(...args));
          die();
          return NEVER;
      }
    }
  }

  function faultyPort<T extends object>(name: string, port: T): T {
    const members = Object.entries(port).map(([member, value]) => [
      member,
      typeof value === 'function' ? faulty(name, member, value) : value,
    ]);
    // Every member keeps its name and its type, so the cast is safe.
    return Object.fromEntries(members) as T;
  }

  const ports = Object.entries(stores).map(([name, port]) => {
    const isPort =
      typeof port === 'object' && !(port instanceof Uint8Array) && !NOT_STORED.has(name);
    return [name, isPort ? faultyPort(name, port) : port];
  });
  return {
    // The cast is safe for the same reason, port by port.
    stores: { ...(Object.fromEntries(ports) as Stores), close: async () => {} },
    async close() {
      while (pending.size > 0) await Promise.allSettled(pending);
      await stores.close();
    },
  };
}

function refusalOf(disk: StoreStep['disk']): BridgeError {
  return disk === 'state'
    ? new BridgeError('overloaded', 'the state database is unavailable', {
        details: { reason: 'state_store_full' },
      })
    : new BridgeError('artifact', 'the artifact folder is full', {
        details: { reason: 'artifact_folder_full' },
      });
}
