import { copyThrown, restoreThrown, type ThrownCopy } from './thrown-copy.ts';

/** A call of a method of a port. Arguments must be values that can be cloned, because they are sent to another thread. */
export type Call = readonly [id: number, port: string, method: string, args: readonly unknown[]];

/** The result of the call with this id, or the error that the call threw. */
export type Reply =
  | readonly [id: number, value: unknown]
  | readonly [number, undefined, ThrownCopy];

/** Ports by name. All methods of the ports are asynchronous. */
export type Ports = Readonly<
  Record<string, Readonly<Record<string, (...args: never[]) => Promise<unknown>>>>
>;

// The number of calls after which a message is sent before the end of the turn, so that the other thread works meanwhile.
const LARGEST_MESSAGE = 16;

interface Caller {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * Creates the side that calls ports of another thread. `post` sends the calls of one turn of the event loop in messages of up to
 * `LARGEST_MESSAGE` calls, because a message costs more than a call.
 */
export function createRemoteCalls(post: (calls: readonly Call[]) => void) {
  const callers = new Map<number, Caller>();
  let waiting: Call[] = [];
  let lastId = 0;

  function flush(): void {
    const calls = waiting;
    if (calls.length === 0) return;
    waiting = [];
    try {
      post(calls);
    } catch {
      // An argument cannot be cloned. The calls are sent one by one, so that only the call with that argument fails.
      for (const call of calls) postAlone(call);
    }
  }

  function postAlone(call: Call): void {
    try {
      post([call]);
    } catch (error) {
      take(call[0])?.reject(error);
    }
  }

  function take(id: number): Caller | undefined {
    const caller = callers.get(id);
    callers.delete(id);
    return caller;
  }

  return {
    /** Calls a method. Throws a copy of the error that the method throws. */
    call(port: string, method: string, args: readonly unknown[]): Promise<unknown> {
      return new Promise((resolve, reject) => {
        lastId += 1;
        callers.set(lastId, { resolve, reject });
        // Runs after the I/O callbacks of this turn. A microtask would run before most of these callbacks have made their
        // calls.
        const length = waiting.push([lastId, port, method, args]);
        if (length === 1) setImmediate(flush);
        else if (length === LARGEST_MESSAGE) flush();
      });
    },

    /** Settles calls in the order of their replies. */
    settle(replies: readonly Reply[]): void {
      for (const [id, value, thrown] of replies) {
        const caller = take(id);
        if (thrown === undefined) caller?.resolve(value);
        else caller?.reject(restoreThrown(thrown));
      }
    },

    /** Sends the waiting calls at once. */
    flush,

    /** Returns true if any call has no reply yet. */
    areWaiting: () => callers.size > 0,

    /** Rejects all calls that have no reply yet. */
    rejectAll(reason: unknown): void {
      waiting = [];
      for (const { reject } of callers.values()) reject(reason);
      callers.clear();
    },
  };
}

/**
 * Creates the side that runs calls. `post` sends replies in the order in which the calls end. The replies to calls that end
 * together, such as the writes of one commit, are sent in one message.
 */
export function createCallServer(
  ports: Ports,
  post: (replies: readonly Reply[]) => void,
): (calls: readonly Call[]) => void {
  let ended: Reply[] = [];

  function flush(): void {
    const replies = ended;
    ended = [];
    post(replies);
  }

  function reply(ofCall: Reply): void {
    // Sends the replies when all promises that are settled now have been handled, and before the next write begins.
    if (ended.push(ofCall) === 1) process.nextTick(flush);
  }

  async function run([id, port, method, args]: Call): Promise<void> {
    try {
      // The cast is safe because both threads use the same ports.
      const called = ports[port]?.[method] as
        | ((...given: readonly unknown[]) => Promise<unknown>)
        | undefined;
      if (called === undefined) throw new TypeError(`unknown method ${port}.${method}`);
      reply([id, await called(...args)]);
    } catch (thrown) {
      reply([id, undefined, copyThrown(thrown)]);
    }
  }

  return (calls) => {
    for (const call of calls) void run(call);
  };
}
