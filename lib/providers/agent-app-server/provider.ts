import { BridgeError } from '../../errors/bridge-error.ts';
import { abortable } from '../../platform/abortable.ts';
import { refuseTooManyInputs } from '../backend/sent-images.ts';
import type { ProviderParts } from '../provider-parts.ts';
import type {
  Provider,
  ProviderContext,
  ProviderOutput,
  ProviderReadiness,
  ProviderRequest,
} from '../provider-port.ts';
import { createRunningCalls } from '../running-calls.ts';
import { agentArguments } from './agent-arguments.ts';
import { type AgentChild, type ChildDeps, connectAgent, startAgentProcess } from './agent-child.ts';
import { type AgentFolders, createAgentFolders } from './agent-folders.ts';
import { capabilitiesOf, MODEL } from './capabilities.ts';
import { findExecutable } from './executable.ts';
import { createSupervisor } from './supervisor.ts';
import { createThreads } from './threads.ts';
import { createIsolatedTurns, createSessionTurns } from './turns.ts';

/** Creates the provider that runs a supervised agent process and talks to it over its standard streams. */
export function createAgentAppServerProvider(parts: ProviderParts<'agent_app_server'>): Provider {
  const { name, settings } = parts;
  const document = capabilitiesOf(name, settings);
  const agent = createAgent(parts);
  const calls = createRunningCalls();

  return {
    name,
    sourceType: settings.digital_source_type,
    // A turn is never retried because each turn is charged.
    retry: { attempts: 1, backoffMs: 0 },
    maxParallelCalls: document.batching.max_parallel_outputs,
    describe: () => ({
      displayName: 'Agent App Server',
      version: document.implementation_version,
      experimental: false,
      models: [MODEL],
      defaultModel: MODEL,
    }),
    capabilities: (model) => (model === MODEL ? document : undefined),
    refuse: refuseTooManyInputs,
    async execute(request, context) {
      refuseTooManyInputs(request);
      return calls.run(context.signal, async (signal) => ({
        outputs: [await agent.run(request, { ...context, signal })],
      }));
    },
    sessions: {
      createThread: (_request, signal) => calls.run(signal, agent.createThread),
      deleteThread: (threadId, signal) =>
        calls.run(signal, (linked) => agent.deleteThread(threadId, linked)),
    },
    probe: agent.probe,
    restarts: agent.restarts,
    skippedLines: agent.skippedLines,
    async close() {
      await Promise.all([calls.close(), agent.stop()]);
      await agent.settled();
    },
  };
}

/** Creates the agent: a running child that is logged in, and the turns on it. */
function createAgent(parts: ProviderParts<'agent_app_server'>) {
  const { settings, credentials, clock } = parts;
  const folders = createAgentFolders(parts);
  const cleared = folders.clear();
  // Prevents an unhandled rejection. The first call reports the error.
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

  /** Resolves with a child whose login is valid for a turn. */
  async function readyChild(signal: AbortSignal): Promise<AgentChild> {
    await cleared;
    const login = await credentials.current(signal);
    const child = await supervisor.child(signal);
    await abortable(child.logIn(login), signal);
    // The account is read for the next probe, because a probe sends nothing to the child.
    if (child.hasAccount() === undefined) child.readAccount().catch(() => {});
    return child;
  }

  return {
    /** Runs one turn on the thread that the request names, or on a new thread. */
    async run(request: ProviderRequest, context: ProviderContext): Promise<ProviderOutput> {
      const child = await readyChild(context.signal);
      return request.threadId === undefined
        ? isolated.run(child, request, context)
        : sessions.run(child, request.threadId, request, context);
    },

    createThread: async (signal: AbortSignal) => sessions.create(await readyChild(signal), signal),

    deleteThread: async (threadId: string, signal: AbortSignal) =>
      sessions.delete(await readyChild(signal), threadId, signal),

    /** Resolves with the readiness of the provider. Never starts a child and never sends anything. */
    async probe(): Promise<ProviderReadiness> {
      if (!(await findExecutable(settings.executable, parts.searchPath))) {
        return { ready: false, errorCode: 'configuration' };
      }
      const child = supervisor.running();
      if (child?.hasAccount() === false || !(await credentials.probe())) {
        return { ready: false, errorCode: 'authentication' };
      }
      // The running child failed to read its account.
      const isUnknown = child !== undefined && child.hasAccount() === undefined;
      return isUnknown ? { ready: false, errorCode: 'upstream' } : { ready: true };
    },

    restarts: supervisor.restarts,

    /** Returns the number of output lines of all children that were not messages. */
    skippedLines: () => skippedLines,

    /** Resolves when all children have ended. Running calls fail. */
    stop: supervisor.close,

    /** Resolves when no thread or file is being deleted in the background. */
    settled: isolated.settled,
  };
}

type Deps = Pick<
  ProviderParts<'agent_app_server'>,
  'settings' | 'credentials' | 'clock' | 'slices' | 'searchPath'
> &
  Pick<ChildDeps, 'onSkippedLine'>;

/**
 * Starts one process of the agent and connects to it. Throws `configuration` if there is no executable. If the
 * handshake fails, ends the process and throws the error of the handshake.
 */
async function startChild(
  { settings, credentials, clock, slices, searchPath, onSkippedLine }: Deps,
  folders: AgentFolders,
  signal: AbortSignal,
): Promise<AgentChild> {
  const file = await findExecutable(settings.executable, searchPath);
  if (file === undefined) {
    throw new BridgeError(
      'configuration',
      '`providers.agent_app_server.executable` does not name an executable file',
    );
  }
  await folders.prepare();
  const login = await credentials.current(signal);
  signal.throwIfAborted();
  const agentProcess = await startAgentProcess(
    {
      file,
      args: agentArguments(settings),
      // The environment contains no variable of the bridge except `PATH`, so that the child gets no token of the
      // bridge.
      env: {
        ...(searchPath === undefined ? {} : { PATH: searchPath }),
        HOME: folders.home,
        CODEX_HOME: folders.home,
        NO_COLOR: '1',
        RUST_LOG: 'off',
      },
      cwd: folders.work,
    },
    clock,
    settings.shutdown_timeout_ms,
  );
  const onAbort = () => void agentProcess.stop();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await connectAgent(agentProcess, login, {
      clock,
      slices,
      maxMessageBytes: settings.rpc_max_message_bytes,
      timeoutMs: settings.rpc_timeout_ms,
      onSkippedLine,
      refresh: (rejected) => credentials.refreshAfter(rejected, signal),
    });
  } catch (error) {
    agentProcess.kill();
    await agentProcess.stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
