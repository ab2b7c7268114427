import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { createRpcConnection, type Notification, type RpcReply } from './rpc-connection.ts';

export interface ChildDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly slices: TimeSlices;
  /** `rpc_max_message_bytes`. */
  readonly maxMessageBytes: number;
  /** `rpc_timeout_ms`. */
  readonly timeoutMs: number;
  /** Called for each line of the child that is no message. */
  readonly onSkippedLine: () => void;
  /** Other credentials than those that the backend has rejected. */
  readonly refresh: (rejected: Credentials) => Promise<Credentials>;
}

/** A turn on one thread. */
interface ThreadListener {
  onNotification(notification: Notification): void;
  /** All that the child had written before its end has been read. */
  onEnd(cause: BridgeError): void;
}

/** One run of the agent, after its handshake. */
export interface AgentChild {
  /** Resolves with the response. Rejects with `upstream` or `protocol` when none comes. */
  request(method: string, params: object): Promise<RpcReply>;
  /** Receives what concerns one thread until the returned function is called. */
  subscribe(threadId: string, listener: ThreadListener): () => void;
  /** The child works with these credentials from then on. Throws `provider_authentication`. */
  logIn(credentials: Credentials): Promise<void>;
  /** Whether its account may use the image tool; undefined while that is not known. */
  hasAccount(): boolean | undefined;
  /** Asks for the account again. An error leaves it unknown: turns work even where the account's own endpoint does not. */
  readAccount(): Promise<void>;
  /** Nothing is written to the child any more. */
  hasEnded(): boolean;
  /** Throws what a request would reject with. */
  throwIfEnded(): void;
  /** Resolves with why, when all that the child has written was read. */
  readonly ended: Promise<BridgeError>;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

const Account = v.object({ account: v.nullable(v.object({ type: v.string() })) });
const ThreadParams = v.object({ threadId: v.string() });

/** Notifications that are not used; the first four come in large numbers. */
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
 * Shakes hands with a process that was just started, and gives it the login. Throws `upstream`, retryable, when it ends or
 * does not respond, `provider_authentication` when it does not take the login. The process runs on then.
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
  if (!reply.ok) throw new BridgeError('upstream', 'the agent refuses the connection');
  child.initialized();
  await child.logIn(credentials);
  await child.readAccount();
  if (child.hasAccount() === false) {
    throw new BridgeError('provider_authentication', 'the agent does not accept the login');
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

  // One reaction to the end for all turns: those of a promise would stay as long as the child.
  void connection.ended.then((cause) => {
    for (const listener of listeners.values()) listener.onEnd(cause);
  });

  async function refreshedTokens(): Promise<object> {
    if (!login) throw new BridgeError('provider_authentication', 'the agent has no login');
    const fresh = await deps.refresh(login);
    login = fresh;
    return toTokens(fresh);
  }

  async function sendLogin(credentials: Credentials): Promise<void> {
    const params = { type: 'chatgptAuthTokens', ...toTokens(credentials) };
    const reply = await connection.request('account/login/start', params);
    if (!reply.ok) {
      throw new BridgeError('provider_authentication', 'the agent does not take the login');
    }
  }

  return {
    request: connection.request,
    hasEnded: connection.hasEnded,
    throwIfEnded: connection.throwIfEnded,
    ended: connection.ended,
    stop: agentProcess.stop,
    hasAccount: () => hasAccount,
    initialized: () => connection.notify('initialized'),

    subscribe(threadId: string, listener: ThreadListener): () => void {
      listeners.set(threadId, listener);
      return () => listeners.delete(threadId);
    },

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

    async readAccount(): Promise<void> {
      const reply = await connection.request('account/read', {});
      const read = reply.ok ? v.safeParse(Account, reply.result) : undefined;
      if (read?.success) hasAccount = read.output.account?.type === 'chatgpt';
    },
  };
}

function toTokens({ accessToken, accountId, planType }: Credentials) {
  if (accountId === undefined) {
    throw new BridgeError('provider_authentication', 'the login names no account');
  }
  return {
    accessToken,
    chatgptAccountId: accountId,
    chatgptPlanType: planType ?? null,
  };
}

interface Deps {
  readonly clock: Pick<Clock, 'after'>;
  /** `shutdown_timeout_ms`. */
  readonly shutdownTimeoutMs: number;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** All of the child's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

interface AgentProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Ends the process and all processes of its group at once. */
  kill(): void;
  /** Closes its input, then SIGTERM, then SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a process in a group of its own, so that a signal of the terminal does not reach it. If this process is killed, the
 * child sees the end of its input. Throws `configuration` when the file cannot be started.
 */
export async function startAgentProcess(
  { file, args, env, cwd }: Command,
  { clock, shutdownTimeoutMs }: Deps,
): Promise<AgentProcess> {
  const child = spawn(file, [...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // What it has started itself would hold its output open, and live on.
      signalGroup(child, 'SIGKILL');
      resolve();
    });
  });
  const { stdin: input, stdout: output } = child;
  // A write to a process that has ended fails here; the end of its output is what counts.
  input.on('error', () => {});
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new BridgeError('configuration', 'the executable of the agent cannot be started', {
      cause,
    });
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
    kill: () => signalGroup(child, 'SIGKILL'),
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
    // Nothing of the group runs any more.
  }
}
