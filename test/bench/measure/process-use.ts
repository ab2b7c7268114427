import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name of the program, which may contain spaces, `utime` and `stime` are the 12th and 13th field (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
