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

/** Turns on threads of their own, which are deleted afterwards. They run in parallel. */
export function createIsolatedTurns({ folders, threads, clock, onSuccess }: Deps) {
  const endings = new Set<Promise<void>>();

  /** Removes all traces of a thread. What cannot be removed now is removed by the next child. */
  async function discard(child: AgentChild, threadId: string): Promise<void> {
    try {
      await folders.removeGenerated(threadId);
      await threads.delete(child, threadId);
      // Once more: a turn that still ran may have ended with an image.
      await folders.removeGenerated(threadId);
      await folders.unmark(threadId);
    } catch {
      // The mark stays.
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

  /** A new thread. One that is given up before it was started is deleted once it was. */
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
    /** Rejects as a provider does. The thread and the staged files are removed in the background. */
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

    /** Deletes the threads that earlier children have left, in the background. */
    clear(child: AgentChild, threadIds: readonly string[]): void {
      const clear = async () => {
        for (const threadId of threadIds) await discard(child, threadId);
      };
      inBackground(clear());
    },

    /** Resolves when nothing is removed in the background any more. */
    async settled(): Promise<void> {
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}
