import type { CommandIo } from '../command-io.ts';
import { printable } from '../terminal/printable.ts';
import { styled } from '../terminal/terminal.ts';

/** Columns below their headings. */
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

/** A line for each field that has a value. */
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

/** `2026-11-22 12:00`, in UTC. */
export function toDate(secs: number): string {
  return new Date(secs * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** Text of a service, as a part of a line. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '));
}
