import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { createRpcConnection, type Notification } from './rpc-connection.ts';

export interface ChildDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly slices: TimeSlices;
  /** The setting `rpc_max_message_bytes`. */
  readonly maxMessageBytes: number;
  /** The setting `rpc_timeout_ms`. */
  readonly timeoutMs: number;
  /** Called for each output line that is not a message. */
  readonly onSkippedLine: () => void;
  /** Resolves with new credentials after the backend has rejected the credentials `rejected`. */
  readonly refresh: (rejected: Credentials) => Promise<Credentials>;
}

/** Receives the events of a turn on one thread. */
interface ThreadListener {
  onNotification(notification: Notification): void;
  /** Called when the child has ended and all its output has been read. */
  onEnd(cause: BridgeError): void;
}

/** One process of the agent, after its handshake. */
export type AgentChild = ReturnType<typeof createAgentChild>;

const Account = v.object({ account: v.nullable(v.object({ type: v.string() })) });
const ThreadParams = v.object({ threadId: v.string() });

/** Notifications that the bridge does not use. The agent sends the first four in large numbers. */
const UNREAD_NOTIFICATIONS = [
  'item/agentMessage/delta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/textDelta',
  'rawResponseItem/delta',
  'item/reasoning/summaryPartAdded',
  'thread/tokenUsage/updated',
  'account/rateLimits/updated',
  'remoteControl/status/changed',
];

const CLIENT = { name: 'image-bridge', title: 'Image Bridge', version: '1.0' };

/**
 * Performs the handshake with a newly started process and sends the login. Throws a retryable `upstream` if the process
 * ends or does not respond, and `provider_authentication` if the process rejects the login. The caller must end the
 * process after an error.
 */
export async function connectAgent(
  agentProcess: AgentProcess,
  credentials: Credentials,
  deps: ChildDeps,
): Promise<AgentChild> {
  const child = createAgentChild(agentProcess, deps);
  const capabilities = {
    experimentalApi: true,
    requestAttestation: false,
    optOutNotificationMethods: UNREAD_NOTIFICATIONS,
  };
  const reply = await child.request('initialize', { clientInfo: CLIENT, capabilities });
  if (!reply.ok) throw new BridgeError('upstream', 'the agent rejected the connection');
  child.initialized();
  await child.logIn(credentials);
  await child.readAccount();
  if (child.hasAccount() === false) {
    throw new BridgeError(
      'provider_authentication',
      'the agent rejected the account of this login',
    );
  }
  return child;
}

function createAgentChild(agentProcess: AgentProcess, deps: ChildDeps) {
  const listeners = new Map<string, ThreadListener>();
  let login: Credentials | undefined;
  let sending: Promise<void> = Promise.resolve();
  let hasAccount: boolean | undefined;

  const connection = createRpcConnection({
    ...deps,
    input: agentProcess.input,
    output: agentProcess.output,
    onFault: agentProcess.kill,
    onNotification(notification) {
      const params = v.safeParse(ThreadParams, notification.params);
      if (params.success) listeners.get(params.output.threadId)?.onNotification(notification);
    },
    handleRequest: (method) =>
      method === 'account/chatgptAuthTokens/refresh' ? refreshedTokens() : undefined,
  });

  // One handler serves all turns, because a handler that each turn attached to the promise would stay in memory as long
  // as the child.
  void connection.ended.then((cause) => {
    for (const listener of listeners.values()) listener.onEnd(cause);
  });

  async function refreshedTokens(): Promise<object> {
    if (!login) throw new BridgeError('provider_authentication', 'the agent is not logged in');
    const fresh = await deps.refresh(login);
    login = fresh;
    return toTokens(fresh);
  }

  async function sendLogin(credentials: Credentials): Promise<void> {
    const params = { type: 'chatgptAuthTokens', ...toTokens(credentials) };
    const reply = await connection.request('account/login/start', params);
    if (!reply.ok) {
      throw new BridgeError('provider_authentication', 'the agent rejected the login');
    }
  }

  return {
    request: connection.request,
    hasEnded: connection.hasEnded,
    throwIfEnded: connection.throwIfEnded,
    ended: connection.ended,

    /** Resolves when the process has ended. */
    stop: agentProcess.stop,

    /** Returns true if the account may use the image tool, or undefined if this is unknown. */
    hasAccount: () => hasAccount,

    initialized: () => connection.notify('initialized'),

    /** Passes the notifications of one thread to the listener until the returned function is called. */
    subscribe(threadId: string, listener: ThreadListener): () => void {
      listeners.set(threadId, listener);
      return () => listeners.delete(threadId);
    },

    /** Makes the child use these credentials. Throws `provider_authentication` if the child rejects them. */
    logIn(credentials: Credentials): Promise<void> {
      if (credentials.accessToken !== login?.accessToken) {
        login = credentials;
        sending = sendLogin(credentials);
        sending.catch(() => {
          if (login === credentials) login = undefined;
        });
      }
      return sending;
    },

    /**
     * Reads the account again. An error leaves the account unknown, because turns work even if the account endpoint
     * fails.
     */
    async readAccount(): Promise<void> {
      const reply = await connection.request('account/read', {});
      const read = reply.ok ? v.safeParse(Account, reply.result) : undefined;
      if (read?.success) hasAccount = read.output.account?.type === 'chatgpt';
    },
  };
}

function toTokens({ accessToken, accountId, planType }: Credentials) {
  if (accountId === undefined) {
    throw new BridgeError('provider_authentication', 'the login has no account id');
  }
  return { accessToken, chatgptAccountId: accountId, chatgptPlanType: planType ?? null };
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

type AgentProcess = Awaited<ReturnType<typeof startAgentProcess>>;

/**
 * Starts a process in its own process group, so that the process gets no signals from the terminal. If the bridge is
 * killed, the process reads the end of its input. Throws `configuration` if the file cannot be started.
 */
export async function startAgentProcess(
  { file, args, env, cwd }: Command,
  clock: Pick<Clock, 'after'>,
  shutdownTimeoutMs: number,
) {
  const child = spawn(file, [...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // Without this signal, processes that the child has started would continue to run and keep the output open.
      signalGroup(child, 'SIGKILL');
      resolve();
    });
  });
  const { stdin: input, stdout: output } = child;
  // A write to an ended process emits an error. The error is ignored because the end of the output reports the end of
  // the process.
  input.on('error', () => {});
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new BridgeError('configuration', 'the agent executable cannot be started', { cause });
  }
  let stopping: Promise<void> | undefined;

  async function stop(): Promise<void> {
    input.end();
    const cancelTerm = clock.after(shutdownTimeoutMs / 2, () => signalGroup(child, 'SIGTERM'));
    const cancelKill = clock.after(shutdownTimeoutMs, () => signalGroup(child, 'SIGKILL'));
    await ended;
    cancelTerm();
    cancelKill();
  }

  return {
    input,
    output,
    /** Kills the process and all other processes of its group immediately. */
    kill: () => signalGroup(child, 'SIGKILL'),
    /** Closes the input, then sends SIGTERM, then SIGKILL. Resolves when the process has ended. */
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes of the group have ended.
  }
}
