import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as v from 'valibot';
import { BridgeError, toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { systemClock as clock, stayAwake } from '../../../lib/platform/clock.ts';
import { createComposeDriver } from '../../gateway/handoff/compose-driver.ts';
import { type HandoffResult, handOff } from '../../gateway/handoff/handoff.ts';
import { recordPath } from '../../gateway/handoff/handoff-record.ts';
import { createProcessDriver } from '../../gateway/handoff/process-driver.ts';
import type { SlotDriver } from '../../gateway/handoff/slot-driver.ts';
import { GATEWAY_STATE } from '../../gateway/own-routes.ts';
import { getText } from '../../gateway/readiness.ts';
import { type FileLock, lockFile } from '../../server/locks/file-lock.ts';
import type { Call } from '../command-table/command.ts';
import { type HandoffOptions, sameSlots } from '../command-table/deployment-options.ts';
import { fileReason } from '../files.ts';

const CONTINUES =
  'requests are held, so the handoff continues; a second interrupt ends this command and leaves the requests held';
const LEFT_HELD = 'requests are held: run the same command again to continue the handoff';

const EXIT_CODES: Readonly<Record<HandoffResult, number>> = { switched: 0, returned: 1, held: 4 };

/**
 * Resolves with the exit code: 0 if the new slot is active, 1 if the previous slot is active, 3 if another handoff is running,
 * 4 if requests are held.
 */
export async function runHandoff({ options, io }: Call<unknown, HandoffOptions>): Promise<number> {
  const report = (line: string) => io.stdout(`${line}\n`);
  const driver = toDriver(options, io.stderr);
  if (typeof driver === 'string') {
    io.stderr(`image-bridge: ${driver}\n`);
    return 2;
  }
  const sleepless = stayAwake();
  let lock: FileLock | undefined;
  let obeySignals = () => {};
  const onBegin = () => {
    obeySignals = outliveSignals({
      onFirst: () => io.stderr(`image-bridge: ${CONTINUES}\n`),
      onEnd() {
        io.stderr(`image-bridge: ${LEFT_HELD}\n`);
        process.exit(EXIT_CODES.held);
      },
    });
  };
  try {
    lock = lockHandoff(options.coordination);
    if (!lock) {
      io.stderr('image-bridge: another handoff of this deployment is running\n');
      return 3;
    }
    return EXIT_CODES[await handOff({ ...toDeps(options), driver, report, onBegin }, options.to)];
  } catch (error) {
    io.stderr(`image-bridge: ${toBridgeError(error).message}\n`);
    return 1;
  } finally {
    obeySignals();
    lock?.release();
    sleepless();
  }
}

/**
 * Locks the handoff with a file beside the coordination file. Throws `configuration` if the folder does not exist or cannot
 * be written. A missing folder is an error because the gateway does not read a file in this folder.
 */
function lockHandoff(coordination: string): FileLock | undefined {
  const folder = dirname(resolve(coordination));
  try {
    // Throws if the folder does not exist. Without this line, `lockFile` would create the folder.
    readdirSync(folder);
    return lockFile(`${recordPath(coordination)}.lock`);
  } catch (cause) {
    const message = `--coordination: the folder ${folder} cannot be used: ${fileReason(cause)}`;
    throw new BridgeError('configuration', message, { cause });
  }
}

function toDeps(options: HandoffOptions) {
  return {
    ...options,
    clock,
    gatewayState: async () => {
      const text = await get(`${options.gateway}/health/gateway`);
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), GATEWAY_STATE), text);
      return parsed.success ? parsed.output : undefined;
    },
    touch: (slot: 'blue' | 'green') => get(`${options[slot]}/health/live`),
    isReady: async (slot: 'blue' | 'green') =>
      (await get(`${options[slot]}/health/ready`)) !== undefined,
  };
}

/** Sends a GET request over a new connection. */
async function get(url: string): Promise<string | undefined> {
  const client = createHttpClient();
  try {
    return await getText(url, { client, clock, signal: new AbortController().signal });
  } finally {
    await client.close();
  }
}

/** Returns the driver of the slots, or an error if the options do not define two slots. */
function toDriver(options: HandoffOptions, stderr: (text: string) => void): SlotDriver | string {
  const { compose, project, directory, blueCommand, greenCommand } = options;
  const problem = sameSlots(options, '');
  if (problem !== undefined) return problem;
  if (compose !== undefined) {
    const services = { blue: options.blueService, green: options.greenService };
    return (
      sameSlots(services, '-service') ??
      createComposeDriver({ file: compose, project, services, stderr })
    );
  }
  if (!directory || !blueCommand || !greenCommand) {
    return 'use either --compose, or --directory with --blue-command and --green-command';
  }
  const commands = { blue: blueCommand, green: greenCommand };
  return createProcessDriver({ directory, commands, clock });
}

/**
 * Ignores a closed terminal (SIGHUP) and the first SIGINT or SIGTERM, because requests are held until the handoff ends. A
 * second signal calls `onEnd`. Returns a function that restores the default signal handling.
 */
function outliveSignals(callbacks: {
  readonly onFirst: () => void;
  readonly onEnd: () => void;
}): () => void {
  let isWarned = false;
  const onSignal = () => {
    if (isWarned) callbacks.onEnd();
    else callbacks.onFirst();
    isWarned = true;
  };
  const onHangup = () => {};
  process.on('SIGHUP', onHangup).on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => {
    process.off('SIGHUP', onHangup).off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
}
