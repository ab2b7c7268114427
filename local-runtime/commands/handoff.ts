import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as v from 'valibot';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import { createHttpClient } from '../../lib/net/http-client.ts';
import { systemClock as clock, stayAwake } from '../../lib/platform/clock.ts';
import type { Call } from '../command-table/command.ts';
import { GATEWAY_STATE } from '../gateway/gateway-state.ts';
import { getText } from '../gateway/get-text.ts';
import { sameSlots } from '../gateway/two-slots.ts';
import { createComposeDriver } from '../handoff/compose-driver.ts';
import { type HandoffResult, handOff } from '../handoff/handoff.ts';
import { HANDOFF_DEFAULTS, type HandoffOptions } from '../handoff/handoff-options.ts';
import { recordPath } from '../handoff/handoff-record.ts';
import { outliveSignals } from '../handoff/interruptions.ts';
import { createProcessDriver } from '../handoff/process-driver.ts';
import type { SlotDriver } from '../handoff/slot-driver.ts';
import { type FileLock, lockFile } from '../locks/file-lock.ts';
import { fileReason } from '../save-file.ts';

const CONTINUES =
  'requests are held, so the handoff continues; a second interrupt leaves them held and ends this command';
const LEFT_HELD = 'requests are held: run the same command again, which continues the handoff';

const EXIT_CODES: Readonly<Record<HandoffResult, number>> = { switched: 0, returned: 1, held: 4 };

/**
 * `image-bridge handoff`. Resolves to the exit code: 0 when the new slot serves, 1 when the previous one does, 3 while
 * another handoff runs, 4 when requests are held.
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
      io.stderr('image-bridge: another handoff of this deployment runs\n');
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
 * Locks the handoff by a file beside the coordination file. Throws `configuration` if the folder does not exist, because the
 * gateway reads another one then, or if no file can be written into it.
 */
function lockHandoff(coordination: string): FileLock | undefined {
  const folder = dirname(resolve(coordination));
  try {
    // The lock would make the folder.
    readdirSync(folder);
    return lockFile(`${recordPath(coordination)}.lock`);
  } catch (cause) {
    const message = `--coordination: the folder ${folder} cannot be used: ${fileReason(cause)}`;
    throw new BridgeError('configuration', message, { cause });
  }
}

function toDeps(options: HandoffOptions) {
  const { coordination, gateway, blue, green } = options;
  const origins = { blue, green };
  return {
    coordination,
    drainMs: options.drainMs ?? HANDOFF_DEFAULTS.drainMs,
    readinessMs: options.readinessMs ?? HANDOFF_DEFAULTS.readinessMs,
    marginMs: options.marginMs ?? HANDOFF_DEFAULTS.marginMs,
    clock,
    gatewayState: async () => {
      const text = await get(`${gateway}/health/gateway`);
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), GATEWAY_STATE), text);
      return parsed.success ? parsed.output : undefined;
    },
    touch: (slot: 'blue' | 'green') => get(`${origins[slot]}/health/live`),
    isReady: async (slot: 'blue' | 'green') =>
      (await get(`${origins[slot]}/health/ready`)) !== undefined,
  };
}

/** Over a connection of its own. */
async function get(url: string): Promise<string | undefined> {
  const client = createHttpClient();
  try {
    return await getText(url, { client, clock, signal: new AbortController().signal });
  } finally {
    await client.close();
  }
}

/** What starts and stops the slots, or why the options do not name two of them. */
function toDriver(options: HandoffOptions, stderr: (text: string) => void): SlotDriver | string {
  const { compose, project, directory, blueCommand, greenCommand } = options;
  const problem = sameSlots(options, '');
  if (problem !== undefined) return problem;
  if (compose !== undefined) {
    const { blueService: blue = 'blue', greenService: green = 'green' } = options;
    const services = { blue, green };
    return (
      sameSlots(services, '-service') ??
      createComposeDriver({ file: compose, project, services, stderr })
    );
  }
  if (!directory || !blueCommand || !greenCommand) {
    return 'give --compose, or --directory with --blue-command and --green-command';
  }
  const commands = { blue: blueCommand, green: greenCommand };
  return createProcessDriver({ directory, commands, clock });
}
