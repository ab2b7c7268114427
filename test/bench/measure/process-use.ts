import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 1000;

/** Time for a process that gets nothing to do: what has ended is collected, and what it began is done. */
export function settling(): Promise<void> {
  return delay(SETTLE_MS);
}

/** Resident memory of another process, in MiB. */
export function residentMb(pid: number): number {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(line) / 1024;
  } catch {
    // Not on Linux.
    return (
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
    );
  }
}

// Of a clock tick, on every Linux that Node runs on.
const TICK_MS = 10;

/** CPU time of all threads of another process, in steps of 10 ms. NaN where the system has no `/proc`. */
export function cpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): behind the name of the program, which may hold spaces, `utime` and `stime` are the 12th and 13th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
