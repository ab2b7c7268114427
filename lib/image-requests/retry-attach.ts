import type { RequestContext } from '../contract/request/request-context.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { IdempotentReply } from '../idempotency/idempotency.ts';
import { toReplayedError } from '../idempotency/replayed-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Run } from '../runs/image-run.ts';
import {
  type Attachable,
  createAttachableWork,
  disconnected,
  type Work,
} from './attachable-work.ts';

/** A request of an official client. */
export interface Attempt {
  readonly scope: string;
  readonly fingerprint: string;
  /** How often its client has sent it before. */
  readonly retryCount: number;
}

/** What is needed of the request of one client. */
type Client = Pick<RequestContext, 'signal' | 'onReplied'>;

/** True if a retry makes the outcome anew instead of taking this one. */
type IsStale<T> = (value: T) => Promise<boolean>;

const NEVER_STALE = async () => false;

/**
 * Keeps work attachable for 10 s after its reply has been written or its last client has disconnected, so that the client's
 * own retry finds it. A reply that was written has not always been received: the connection may be reset afterwards.
 */
export function createRetryAttach<T>(deps: Parameters<typeof createAttachableWork>[0]) {
  const works = createAttachableWork<T>(deps);

  /** The outcome of `work`, which counts the client until it has its reply. */
  async function outcomeFor(
    work: Attachable<T>,
    { signal: clientSignal, onReplied }: Client,
  ): Promise<T> {
    const signal = clientSignal();
    const detach = works.attach(work);
    onReplied((isComplete) => detach(isComplete ? 'replied' : reasonOf(signal)));
    try {
      return await abortable(work.run?.outcome ?? Promise.reject(disconnected()), signal);
    } catch (thrown) {
      if (signal.aborted) detach(reasonOf(signal));
      throw thrown;
    }
  }

  return {
    /**
     * The outcome of `make`, or of an equal one that a retry finds. A client that disconnects is rejected with its
     * signal's reason; the work runs on while another client waits for it, and 10 s longer. Throws what `make` throws.
     */
    async reply(
      { scope, fingerprint, retryCount }: Attempt,
      make: Work<T>,
      client: Client,
      isStale: IsStale<T> = NEVER_STALE,
    ): Promise<IdempotentReply<T>> {
      const signal = client.signal();
      const key = { scope, fingerprint };
      for (;;) {
        signal.throwIfAborted();
        const found = retryCount === 0 ? undefined : works.find(key);
        if (!found) {
          const value = await outcomeFor(works.start(key, make), client);
          return { value, replayed: false };
        }
        const value = await outcomeFor(found, client).catch((thrown: unknown) => {
          throw signal.aborted ? thrown : toReplayedError(toBridgeError(thrown));
        });
        if (!(await isStale(value))) return { value, replayed: true };
        works.forget(found);
      }
    },

    stopLingering: works.stopLingering,
    size: works.size,
  };
}

/** Makes the result of a run, and commits it once a client is there for it: it is discarded when none comes. */
export function forClients<M, T>(run: Run<M, T>): Work<T> {
  return async (signal, hasClient) => {
    const made = await run.make(signal);
    if (await hasClient()) return run.commit(made);
    throw await run.discard(made, signal.reason);
  };
}

function reasonOf(signal: AbortSignal): BridgeError {
  return signal.aborted ? toBridgeError(signal.reason) : disconnected();
}
