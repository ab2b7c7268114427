import { BridgeError } from '../../errors/bridge-error.ts';
import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRunningWork } from '../../platform/running-work.ts';
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
  const background = createRunningWork();

  /** Deletes a thread and its images. If the deletion fails, it is repeated when the next child starts. */
  async function discard(child: AgentChild, threadId: string): Promise<void> {
    try {
      await folders.removeGenerated(threadId);
      await threads.delete(child, threadId);
      // The images are deleted again because a turn that was still running may have made an image.
      await folders.removeGenerated(threadId);
      await folders.unmark(threadId);
    } catch {
      // The mark of the thread remains, so that the thread is deleted when the next child starts.
    }
  }

  /** Starts a thread. If the caller aborts while the thread starts, the thread is deleted afterwards. */
  async function threadFor(child: AgentChild, signal: AbortSignal): Promise<string> {
    const starting = threads.start(child);
    try {
      return await abortable(starting, signal);
    } catch (error) {
      background.track(starting.then((threadId) => discard(child, threadId)));
      throw error;
    }
  }

  return {
    /**
     * Runs one turn. Rejects with the errors of `Provider.execute`. Deletes the thread and the staged files in the
     * background.
     */
    async run(
      child: AgentChild,
      request: ProviderRequest,
      { signal, onEvent }: ProviderContext,
    ): Promise<ProviderOutput> {
      const staged = await folders.stage(sentImages(request));
      let ended: Promise<unknown> = Promise.resolve();
      try {
        const threadId = await threadFor(child, signal);
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
          ended = ended.then(() => discard(child, threadId));
        }
      } finally {
        background.track(ended.then(staged.remove, staged.remove));
      }
    },

    /** Deletes the threads that earlier children left behind, in the background. */
    clear(child: AgentChild, threadIds: readonly string[]): void {
      const clear = async () => {
        for (const threadId of threadIds) await discard(child, threadId);
      };
      background.track(clear());
    },

    /** Resolves when no thread or file is being deleted in the background. */
    settled: background.untilIdle,
  };
}

/**
 * Runs turns on threads that persist. A turn always runs to its end, because the history of an interrupted turn would
 * lack its image. If a turn could not be ended, its thread accepts no other turn until the child is replaced.
 */
export function createSessionTurns({ folders, threads, clock, onSuccess }: Deps) {
  const running = new Set<string>();
  /** Threads whose last turn may still be running, with the child that runs the turn. */
  const unended = new Map<string, AgentChild>();
  const loaded = new WeakMap<AgentChild, Set<string>>();

  function loadedIn(child: AgentChild): Set<string> {
    const ids = loaded.get(child) ?? new Set();
    loaded.set(child, ids);
    return ids;
  }

  function refuseBusy(threadId: string): void {
    if (unended.get(threadId)?.hasEnded()) unended.delete(threadId);
    if (!running.has(threadId) && !unended.has(threadId)) return;
    throw new BridgeError('session_busy', 'another turn of this session is running');
  }

  async function load(child: AgentChild, threadId: string): Promise<void> {
    if (loadedIn(child).has(threadId)) return;
    await threads.resume(child, threadId);
    loadedIn(child).add(threadId);
  }

  async function runTurnOn(
    child: AgentChild,
    threadId: string,
    request: ProviderRequest,
    paths: readonly string[],
    { signal, onEvent }: ProviderContext,
  ): Promise<ProviderOutput> {
    await abortable(load(child, threadId), signal);
    const turn = runTurn(
      { child, threadId, request, paths, stopsAtImage: false },
      { signal, onEvent },
      clock,
    );
    const output = await turn.output.catch(async (error: unknown) => {
      if (!(await turn.ended)) unended.set(threadId, child);
      throw error;
    });
    onSuccess();
    return output;
  }

  return {
    /** Creates a thread. Resolves with its id. */
    async create(child: AgentChild, signal: AbortSignal): Promise<string> {
      const threadId = await abortable(threads.start(child), signal);
      loadedIn(child).add(threadId);
      return threadId;
    },

    /**
     * Runs the next turn of a thread. Throws `session_not_found` if the thread does not exist and `session_busy` if a
     * turn has not ended. Otherwise rejects with the errors of `Provider.execute`.
     */
    async run(
      child: AgentChild,
      threadId: string,
      request: ProviderRequest,
      context: ProviderContext,
    ): Promise<ProviderOutput> {
      refuseBusy(threadId);
      running.add(threadId);
      try {
        const staged = await folders.stage(sentImages(request));
        const attempt = () => runTurnOn(child, threadId, request, staged.paths, context);
        const wasLoaded = loadedIn(child).has(threadId);
        try {
          return await attempt();
        } catch (error) {
          const isNotFound = error instanceof BridgeError && error.code === 'session_not_found';
          if (!wasLoaded || !isNotFound) throw error;
          // The agent unloads threads that have been idle for a long time.
          loadedIn(child).delete(threadId);
          return await attempt();
        } finally {
          await staged.remove();
        }
      } finally {
        running.delete(threadId);
      }
    },

    /** Deletes a thread with its images. Throws `session_busy` if a turn has not ended. */
    async delete(child: AgentChild, threadId: string, signal: AbortSignal): Promise<void> {
      refuseBusy(threadId);
      loadedIn(child).delete(threadId);
      await abortable(threads.delete(child, threadId), signal);
      await folders.removeGenerated(threadId);
    },
  };
}
