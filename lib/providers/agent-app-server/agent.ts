import { abortable } from '../../platform/abortable.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type { ProviderContext, ProviderOutput, ProviderRequest } from '../provider-port.ts';
import type { AgentChild } from './agent-child.ts';
import { createAgentFolders } from './agent-folders.ts';
import { createIsolatedTurns } from './isolated-turns.ts';
import { createSessionTurns } from './session-turns.ts';
import { startChild } from './start-child.ts';
import { createSupervisor } from './supervisor.ts';
import { createThreads } from './threads.ts';

/** The agent as calls need it: a child that runs and is logged in, and turns on it. */
export function createAgent(parts: ProviderParts<'agent_app_server'>) {
  const { settings, credentials, clock } = parts;
  const folders = createAgentFolders(parts);
  const cleared = folders.clear();
  // The first call reports what is wrong.
  cleared.catch(() => {});
  let skippedLines = 0;
  const onSkippedLine = () => {
    skippedLines += 1;
  };
  const supervisor = createSupervisor({
    clock,
    backoffMs: settings.restart_backoff_ms,
    async start(signal) {
      const child = await startChild({ ...parts, onSkippedLine }, folders, signal);
      const left = await folders.marked();
      isolated.clear(child, left);
      return child;
    },
  });
  const threads = createThreads({ cwd: folders.work, model: settings.agent_model });
  const turnParts = { folders, threads, clock, onSuccess: supervisor.noteSuccess };
  const isolated = createIsolatedTurns(turnParts);
  const sessions = createSessionTurns(turnParts);

  /** The child, with a login that is good for a turn. */
  async function readyChild(signal: AbortSignal): Promise<AgentChild> {
    await cleared;
    const login = await credentials.current(signal);
    const child = await supervisor.child(signal);
    await abortable(child.logIn(login), signal);
    // For the next probe: it does not ask.
    if (child.hasAccount() === undefined) child.readAccount().catch(() => {});
    return child;
  }

  return {
    /** One turn, on a thread of its own unless the request names one. */
    async run(request: ProviderRequest, context: ProviderContext): Promise<ProviderOutput> {
      const child = await readyChild(context.signal);
      return request.threadId === undefined
        ? isolated.run(child, request, context)
        : sessions.run(child, request.threadId, request, context);
    },

    createThread: async (signal: AbortSignal) => sessions.create(await readyChild(signal), signal),

    deleteThread: async (threadId: string, signal: AbortSignal) =>
      sessions.delete(await readyChild(signal), threadId, signal),

    /** Whether the child that runs, if one does, has an account that may use the image tool. */
    accountState(): 'accepted' | 'refused' | 'unknown' {
      const child = supervisor.running();
      const hasAccount = child ? child.hasAccount() : true;
      if (hasAccount === undefined) return 'unknown';
      return hasAccount ? 'accepted' : 'refused';
    },

    restarts: supervisor.restarts,

    /** How many lines of its children were no messages. */
    skippedLines: () => skippedLines,

    /** Resolves when no child runs any more. Calls that run end for it. */
    stop: supervisor.close,

    /** Resolves when nothing is removed in the background any more. */
    settled: isolated.settled,
  };
}
