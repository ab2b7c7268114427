import { tokenRemoval } from '../errors/token-removal.ts';
import type { Task } from '../platform/task.ts';
import type { CancelJob } from './cancel-job.ts';
import type { QueueStore } from './queue-store-port.ts';

interface Deps {
  readonly store: Pick<QueueStore, 'listActiveOf'>;
  readonly cancelJob: CancelJob;
  /** Identities of the tokens that were removed for good; tokens that are merely missing are not among them. */
  readonly removed: () => readonly string[];
}

// How long the job of a removed token may continue.
const EVERY_MS = 2000;
const PAGE = 100;

/** Cancels what removed tokens have queued and running. */
export function createRemovedTokens({ store, cancelJob, removed }: Deps) {
  let ending: Promise<void> | undefined;

  async function endAll(tokens: readonly string[]): Promise<void> {
    for (;;) {
      const found = await store.listActiveOf(tokens, PAGE);
      if (found.length === 0) return;
      // Together, so that they share one commit.
      await Promise.all(found.map(({ scope, id }) => cancelJob(scope, id, tokenRemoval())));
    }
  }

  async function endJobsOf(tokens: readonly string[]): Promise<void> {
    // A sweep that has begun may have passed the place of a job that was accepted since.
    await ending;
    ending ??= endAll(tokens).finally(() => {
      ending = undefined;
    });
    await ending;
  }

  /**
   * Resolves once no job of a token that was removed before this call is queued, and the running ones were asked to stop.
   * Undefined if no token was removed, so that a claim need not wait. Throws `overloaded`.
   */
  function endJobs(): Promise<void> | undefined {
    const tokens = removed();
    return tokens.length === 0 ? undefined : endJobsOf(tokens);
  }

  return {
    endJobs,

    task: { name: 'removed-tokens', everyMs: EVERY_MS, run: async () => endJobs() } satisfies Task,
  };
}
