import { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderParts } from '../provider-parts.ts';
import { agentArguments } from './agent-arguments.ts';
import { type AgentChild, type ChildDeps, connectAgent } from './agent-child.ts';
import type { AgentFolders } from './agent-folders.ts';
import { startAgentProcess } from './agent-process.ts';
import { findExecutable } from './executable.ts';

type Deps = Pick<
  ProviderParts<'agent_app_server'>,
  'settings' | 'credentials' | 'clock' | 'slices' | 'searchPath'
> &
  Pick<ChildDeps, 'onSkippedLine'>;

/**
 * Starts one process of the agent and connects to it. Throws `configuration` without an executable, `upstream` when the
 * process is of no use; it has ended then.
 */
export async function startChild(
  { settings, credentials, clock, slices, searchPath, onSkippedLine }: Deps,
  folders: AgentFolders,
  signal: AbortSignal,
): Promise<AgentChild> {
  const file = await findExecutable(settings.executable, searchPath);
  if (file === undefined) {
    throw new BridgeError(
      'configuration',
      'providers.agent_app_server.executable: there is no such executable file',
    );
  }
  await folders.prepare();
  const login = await credentials.current(signal);
  signal.throwIfAborted();
  const agentProcess = await startAgentProcess(
    {
      file,
      args: agentArguments(settings),
      env: environment(folders, searchPath),
      cwd: folders.work,
    },
    { clock, shutdownTimeoutMs: settings.shutdown_timeout_ms },
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

/** All that the child gets to know: no variable of ours, and so no token. */
function environment(
  { home }: AgentFolders,
  searchPath: string | undefined,
): Readonly<Record<string, string>> {
  return {
    ...(searchPath === undefined ? {} : { PATH: searchPath }),
    HOME: home,
    CODEX_HOME: home,
    NO_COLOR: '1',
    RUST_LOG: 'off',
  };
}
