import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import type { Slot } from '../coordination.ts';
import { runCheck, type SlotDriver } from './slot-driver.ts';

interface Deps {
  /** The folder that contains the process id and the output of each slot. */
  readonly directory: string;
  /** The shell command that starts each slot. */
  readonly commands: Readonly<Record<Slot, string>>;
  readonly clock: Clock;
  /** The size at which the log of a slot continues in a new file, in bytes. The previous file is kept. */
  readonly maxLogBytes?: number;
}

/**
 * The identity of a process. The start time, in clock ticks, distinguishes the process from later processes with the same
 * id.
 */
interface Found {
  readonly pid: number;
  readonly startTicks: string;
}

// The flags that open a log for appending, and fail if the path is a link.
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const LOG_FLAGS = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;
// The first occurrence of the word `serve` in a command.
const SERVE = /(^|\s)serve(?=\s|$)/;
const ASK_AGAIN_MS = 20;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

// The shell writes its own process id to a file and becomes the slot. If an interrupted run has already started the slot, the
// file exists, `ln` fails, and the slot is not started a second time. The files are accessible only by their owner. The slot
// runs with the original umask.
const LAUNCH = `
mask=$(umask)
umask 077
set -C
echo "$$ $(cut -d' ' -f22 /proc/$$/stat)" > "$1.$$" && ln "$1.$$" "$1" 2>/dev/null
linked=$?
rm -f "$1.$$"
[ $linked = 0 ] || exit 1
set +C
umask "$mask"
exec sh -c "exec $2"`;

/** Creates a driver for slots that are Linux processes on this machine. The slots continue after the end of the command. */
export function createProcessDriver({
  directory,
  commands,
  clock,
  maxLogBytes = MAX_LOG_BYTES,
}: Deps): SlotDriver {
  const never = new AbortController().signal;
  const fileOf = (slot: Slot) => resolve(directory, `${slot}.pid`);
  const logOf = (slot: Slot) => resolve(directory, `${slot}.log`);

  /** Returns the process of a slot if it is running. Otherwise returns undefined. */
  function find(slot: Slot): Found | undefined {
    const [pid = '', startTicks = ''] = read(fileOf(slot)).trim().split(' ');
    const found = { pid: Number(pid), startTicks };
    return isAlive(found) ? found : undefined;
  }

  async function start(slot: Slot): Promise<void> {
    if (find(slot)) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    rmSync(fileOf(slot), { force: true });
    const output = openLog(logOf(slot));
    const argv = ['-c', LAUNCH, 'slot', fileOf(slot), commands[slot]];
    const child = spawn('/bin/sh', argv, { detached: true, stdio: ['ignore', output, output] });
    await once(child, 'spawn');
    child.unref();
    // The slot has its own copy of this stream. The program that writes the log ends when the slot closes the copy.
    output.destroy();
    let isEnded = false;
    child.once('exit', () => {
      isEnded = true;
    });
    while (!find(slot)) {
      if (isEnded)
        throw new BridgeError(
          'configuration',
          `${slot} ended immediately after its start: see ${logOf(slot)}`,
        );
      await sleep(clock, ASK_AGAIN_MS, never);
    }
  }

  /** Starts the program that writes a log. Returns the standard input of the program. */
  function openLog(path: string) {
    try {
      closeSync(openSync(path, LOG_FLAGS, 0o600));
    } catch (cause) {
      throw new BridgeError('configuration', `${path} cannot be written`, { cause });
    }
    const program = createRequire(import.meta.url).resolve('#slot-log');
    const writer = spawn(process.execPath, [program, path, String(maxLogBytes)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    writer.unref();
    return writer.stdin;
  }

  return {
    async check(slot) {
      const command = commands[slot].replace(SERVE, '$1config check');
      return command === commands[slot]
        ? undefined
        : runCheck('/bin/sh', ['-c', `exec ${command}`]);
    },
    start,
    restart: start,
    logOf,
    isRunning: async (slot) => find(slot) !== undefined,
    async stop(slot, graceMs) {
      const found = find(slot);
      if (!found) return;
      const endMs = clock.monotonicMs() + graceMs;
      signal(found, 'SIGTERM');
      let isKilled = false;
      while (isAlive(found)) {
        if (!isKilled && clock.monotonicMs() >= endMs) {
          signal(found, 'SIGKILL');
          isKilled = true;
        }
        await sleep(clock, ASK_AGAIN_MS, never);
      }
    },
  };
}

/** Returns true if the same process is still running. A zombie process does not count as running (proc(5), `stat`). */
function isAlive({ pid, startTicks }: Found): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program is in parentheses and may contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return fields[19] === startTicks && state !== 'Z' && state !== 'X';
}

function signal({ pid }: Found, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ignored: the process has just ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
