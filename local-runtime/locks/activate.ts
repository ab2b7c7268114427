import type { Config } from '../../lib/config/settings/settings.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import type { CommandIo } from '../command-io.ts';
import { describeHolder, takeActivationLock } from './activation-lock.ts';
import type { FileLock } from './file-lock.ts';

type Activation =
  | ({ readonly ok: true } & FileLock)
  | { readonly ok: false; readonly exitCode: number };

interface Options {
  readonly io: CommandIo;
  /** Ends the wait. */
  readonly stopped: Promise<void>;
  /** Whether to wait while another process holds the lock. */
  readonly waits: boolean;
}

/**
 * Takes `server.activation_lock`, if there is one. Exit codes: 0 when the wait was stopped, 3 when another process holds
 * the lock and this one must not wait. Throws `configuration` when the file cannot be locked.
 */
export async function activate(
  { server: { activation_lock: path } }: Config,
  { io, stopped, waits }: Options,
): Promise<Activation> {
  if (path === undefined) return { ok: true, release: () => {} };
  const waiting = new AbortController();
  let exitCode = 0;
  const end = (code: number) => {
    exitCode = code;
    waiting.abort();
  };
  void stopped.then(() => end(0));
  try {
    const lock = await takeActivationLock(path, {
      clock: systemClock,
      signal: waiting.signal,
      onHeld(holder) {
        const held = `server.activation_lock: ${path} is held by ${describeHolder(holder)}`;
        io.stderr(`image-bridge: ${held}${waits ? '; waiting for it' : ''}\n`);
        if (!waits) end(3);
      },
    });
    return { ok: true, ...lock };
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
    return { ok: false, exitCode };
  }
}
