import { tokenRemoval } from '../errors/bridge-error.ts';
import type { Task } from '../platform/task.ts';
import type { CancelJob } from './job-end.ts';
import type { QueueStore } from './queue-store-port.ts';

interface Deps {
  readonly store: Pick<QueueStore, 'listActiveOf'>;
  readonly cancelJob: CancelJob;
  /**
   * Returns the identities of tokens that were removed permanently. A token that is only missing from the tokens file is not
   * included.
   */
  readonly removed: () => readonly string[];
}

// The interval between two checks, in milliseconds. A job continues for about this time after its token is removed.
const EVERY_MS = 2000;
const PAGE = 100;

/** Cancels the queued and running jobs of removed tokens. */
export function createRemovedTokens({ store, cancelJob, removed }: Deps) {
  let ending: Promise<void> | undefined;

  async function endAll(tokens: readonly string[]): Promise<void> {
    for (;;) {
      const found = await store.listActiveOf(tokens, PAGE);
      if (found.length === 0) return;
      // The cancellations run at the same time so that they share one commit.
      await Promise.all(found.map(({ scope, id }) => cancelJob(scope, id, tokenRemoval())));
    }
  }

  async function endJobsOf(tokens: readonly string[]): Promise<void> {
    // A sweep in progress may have missed a job that was accepted during the sweep, so another sweep must follow.
    await ending;
    ending ??= endAll(tokens).finally(() => {
      ending = undefined;
    });
    await ending;
  }

  /**
   * Cancels the jobs of all tokens that were removed before this call. Resolves when none of these jobs is queued and the
   * cancellation of the running jobs is requested. Returns undefined if no token was removed, so that a claim does not have to
   * wait. Throws `overloaded`.
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
