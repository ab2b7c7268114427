import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
