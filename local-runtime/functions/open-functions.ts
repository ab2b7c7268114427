import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { createTraceLog, type TraceLog } from '../../lib/log/trace-log.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { createOnce } from '../../lib/platform/once.ts';
import type { Task } from '../../lib/platform/task.ts';
import { openApp } from '../server/open-app.ts';
import { prepare } from '../server/prepare.ts';
import {
  createFunctionHandler,
  encodeReply,
  type FunctionEvent,
  type FunctionReply,
  type Invocation,
} from './function-handler.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Writes one line of the log. */
  readonly writeLine: (line: string) => void;
}

/**
 * Creates the handler of all functions. The first event opens the stores and builds the app. If the app cannot be built, the
 * reply is 503, the log has the reason, and the next event tries again.
 */
export function createFunctions({ env, cwd, writeLine }: Outside) {
  const log = createTraceLog(writeLine);
  const ids = createIds(systemClock.nowMs);
  const opened = createOnce(() => open(env, cwd, log));

  async function running(): ReturnType<typeof open> {
    try {
      return await opened.get();
    } catch (cause) {
      log.failure(cause, { task: 'start' });
      writeLine(`image-bridge: ${toBridgeError(cause).message}\n`);
      // The reason is only for the operator.
      throw new BridgeError('overloaded', 'the bridge cannot start now', { cause });
    }
  }

  return {
    async handler(event: FunctionEvent, invocation: Invocation): Promise<FunctionReply> {
      try {
        const { handle, renewLease } = await running();
        await renewLease();
        return await handle(event, invocation);
      } catch (thrown) {
        const requestId = ids.newUuid();
        log.failure(thrown, { requestId });
        const reply = toErrorReply(toBridgeError(thrown), requestId);
        return encodeReply(reply, event.requestContext?.http?.method === 'HEAD');
      }
    },

    /** Closes the app. */
    close: async (): Promise<void> => (await opened.made())?.close(),
  };
}

async function open(env: Outside['env'], cwd: string, log: TraceLog) {
  const { config, origins } = await load(env, cwd);
  const { mounted, version, authenticationRequired, outside } = await prepare(config, { env, log });
  const app = await openApp(config, mounted, {
    ...outside,
    facts: {
      version,
      listener: { scope: 'remote', port: 443 },
      authenticationRequired,
      origins,
    },
    tasks: [],
    runsInBackground: false,
  });
  const { services, leaseRenewal, close } = app;
  const { clock, httpSettings } = outside;
  return {
    handle: createFunctionHandler({ routes: mounted, services, httpSettings }),
    renewLease: whenDue(leaseRenewal, clock),
    close,
  };
}

async function load(env: Outside['env'], cwd: string): Promise<LoadedConfig> {
  const loaded = await loadConfig({ env, cwd });
  if (loaded.ok) return loaded;
  throw new BridgeError('configuration', loaded.errors.map(problemLine).join('; '));
}

type LoadedConfig = Extract<Awaited<ReturnType<typeof loadConfig>>, { ok: true }>;

/**
 * Returns a function that runs the task if the last run was more than the pause of the task ago. No timer runs the task,
 * because a function stops between events. A failure is ignored: if the stores cannot be reached, the request fails as well.
 */
function whenDue({ everyMs, run }: Task, clock: Pick<Clock, 'monotonicMs'>) {
  let dueMs = clock.monotonicMs() + everyMs;
  return async (): Promise<void> => {
    if (clock.monotonicMs() < dueMs) return;
    dueMs = clock.monotonicMs() + everyMs;
    await run(new AbortController().signal).catch(() => {});
  };
}
