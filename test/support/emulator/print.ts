import type { Call } from '../upstream/calls.ts';

export function print(text: string): void {
  process.stdout.write(text);
}

/** Prints to standard error, and makes the exit code 2. */
export function fail(text: string): void {
  process.stderr.write(text);
  process.exitCode = 2;
}

/** Prints one line for a call that has ended, without any content of the request. */
export function printCall({ number, outcome, behaviour = '-', refusal, tookMs = 0 }: Call): void {
  const why = refusal ? ` ${refusal.status} ${refusal.code} ${refusal.param ?? ''}` : '';
  print(`call ${number + 1}: ${behaviour}, ${outcome}${why}, ${Math.round(tookMs)} ms\n`);
}

/** Closes the server at the first signal that asks the process to end. */
export function closeOnSignal(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

/** Names with their descriptions, one line each. */
export function aligned(
  rows: readonly { readonly name: string; readonly about: string }[],
): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
}
