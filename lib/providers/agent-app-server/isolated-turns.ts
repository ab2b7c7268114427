import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import { sentImages } from '../backend/sent-images.ts';
import type { ProviderContext, ProviderOutput, ProviderRequest } from '../provider-port.ts';
import type { AgentChild } from './agent-child.ts';
import type { AgentFolders } from './agent-folders.ts';
import { runTurn } from './run-turn.ts';
import type { Threads } from './threads.ts';

interface Deps {
  readonly folders: AgentFolders;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly threads: Threads;
  readonly onSuccess: () => void;
}

/** Runs turns in parallel, each on its own thread, which is deleted afterwards. */
export function createIsolatedTurns({ folders, threads, clock, onSuccess }: Deps) {
  const endings = new Set<Promise<void>>();

  /** Deletes a thread and its images. If the deletion fails, the next child repeats it. */
  async function discard(child: AgentChild, threadId: string): Promise<void> {
    try {
      await folders.removeGenerated(threadId);
      await threads.delete(child, threadId);
      // Repeated because a turn that was still running may have produced an image.
      await folders.removeGenerated(threadId);
      await folders.unmark(threadId);
    } catch {
      // The mark remains for the next child.
    }
  }

  function inBackground(work: Promise<unknown>): void {
    const ending = work.then(
      () => {},
      () => {},
    );
    endings.add(ending);
    void ending.then(() => endings.delete(ending));
  }

  /** Starts a thread. If the caller aborts while the thread starts, the thread is deleted afterwards. */
  async function threadFor(child: AgentChild, signal: AbortSignal): Promise<string> {
    const starting = threads.start(child);
    try {
      return await abortable(starting, signal);
    } catch (error) {
      inBackground(starting.then((threadId) => discard(child, threadId)));
      throw error;
    }
  }

  return {
    /** Runs one turn and rejects as a provider does. Deletes the thread and the staged files in the background. */
    async run(
      child: AgentChild,
      request: ProviderRequest,
      { signal, onEvent }: ProviderContext,
    ): Promise<ProviderOutput> {
      const staged = await folders.stage(sentImages(request));
      let ended: Promise<unknown> = Promise.resolve();
      try {
        const threadId = await threadFor(child, signal);
        const discarded = () => discard(child, threadId);
        try {
          await folders.mark(threadId);
          signal.throwIfAborted();
          const { paths } = staged;
          const turn = runTurn(
            { child, threadId, request, paths, stopsAtImage: true },
            { signal, onEvent },
            clock,
          );
          ended = turn.ended;
          const output = await turn.output;
          onSuccess();
          return output;
        } finally {
          ended = ended.then(discarded);
        }
      } finally {
        inBackground(ended.then(staged.remove, staged.remove));
      }
    },

    /** Deletes the threads that earlier children left behind, in the background. */
    clear(child: AgentChild, threadIds: readonly string[]): void {
      const clear = async () => {
        for (const threadId of threadIds) await discard(child, threadId);
      };
      inBackground(clear());
    },

    /** Resolves when no thread or file is being deleted in the background. */
    async settled(): Promise<void> {
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}
