import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 1000;

/** Time without work, in which a process collects garbage and finishes background work. */
export function settling(): Promise<void> {
  return delay(SETTLE_MS);
}

/** Returns the resident memory of another process in MiB. */
export function residentMb(pid: number): number {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(line) / 1024;
  } catch {
    // There is no such file except on Linux.
    return (
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
    );
  }
}

// The duration of a clock tick on every Linux that Node supports.
const TICK_MS = 10;

/** Returns the CPU time of all threads of another process, in steps of 10 ms. NaN if the system has no `/proc`. */
export function cpuMs(pid: number): number {
  return readTimes(pid)?.ownMs ?? Number.NaN;
}

/** Returns the CPU time of a process and its child processes, also of those that have ended. NaN if the system has no `/proc`. */
export function cpuMsOfTree(pid: number): number {
  const parent = readTimes(pid);
  if (!parent) return Number.NaN;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readTimes(Number(name)) ?? [])
    .filter(({ parentPid }) => parentPid === pid);
  return children.reduce((sum, { ownMs }) => sum + ownMs, parent.ownMs + parent.endedMs);
}

/** Returns the CPU times of a process and of its child processes that have ended. Undefined if the process cannot be read. */
function readTimes(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name of the program, which may contain spaces, the parent is the 2nd field, `utime` and `stime` are the 12th and
    // 13th field, and the times of ended children are the 14th and 15th field (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = (at: number) => (Number(fields[at]) + Number(fields[at + 1])) * TICK_MS;
    return { parentPid: Number(fields[1]), ownMs: ticks(11), endedMs: ticks(13) };
  } catch {
    return undefined;
  }
}
