import type { ImageJob } from '../../lib/contract/resources/job.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { CommandIo } from './command-io.ts';
import { printable, styled } from './terminal.ts';

/** Prints a table. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  io: CommandIo,
): void {
  const cells = rows.map((row) => row.map(oneLine));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  io.stdout(`${styled('bold', line(headings), 'stdout', io)}\n`);
  for (const row of cells) io.stdout(`${line(row)}\n`);
}

/** Prints one line for each field with a value. */
export function printFields(fields: object, io: CommandIo): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const text = typeof value === 'string' ? oneLine(value) : printable(JSON.stringify(value));
    io.stdout(`${styled('bold', `${oneLine(name)}:`, 'stdout', io)} ${text}\n`);
  }
}

export function printJson(value: unknown, io: CommandIo): void {
  io.stdout(`${printable(JSON.stringify(value, undefined, 2))}\n`);
}

/** Formats a time in Unix seconds as `2026-11-22 12:00` in UTC. */
export function toDate(secs: number): string {
  return new Date(secs * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns a text of a service on one line, without control characters. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '));
}

/** Prints the message of a `BridgeError` and returns the exit code. Throws any other error. */
export function reportError(error: unknown, io: CommandIo): number {
  if (!(error instanceof BridgeError)) throw error;
  io.stderr(`image-bridge: ${error.message}\n`);
  return 1;
}

/** Prints the reason why a job has no result. Returns the exit code. */
export function reportJob({ status, error, id }: ImageJob, io: CommandIo): number {
  const reason = error === undefined ? '' : `: ${error.message}`;
  io.stderr(`image-bridge: ${printable(`the job ${id} ${OUTCOMES[status]}${reason}`)}\n`);
  for (const suggestion of error?.suggestions ?? []) io.stderr(`→ ${printable(suggestion)}\n`);
  return 1;
}

const OUTCOMES: Readonly<Record<ImageJob['status'], string>> = {
  queued: 'is queued',
  running: 'is running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted',
};
