import type { Call } from '../upstream/calls.ts';

export function print(text: string): void {
  process.stdout.write(text);
}

/** Prints to standard error and sets the exit code to 2. */
export function fail(text: string): void {
  process.stderr.write(text);
  process.exitCode = 2;
}

/** The records of the calls of an emulator. A line is printed for each ended call, without any content of the request. */
export const OF_CALLS = { keepsBodies: false, onEnd: printCall } as const;

function printCall({ number, outcome, behaviour = '-', refusal, tookMs = 0 }: Call): void {
  const why = refusal ? ` ${refusal.status} ${refusal.code} ${refusal.param ?? ''}` : '';
  print(`call ${number + 1}: ${behaviour}, ${outcome}${why}, ${Math.round(tookMs)} ms\n`);
}

interface Upstream<Behaviour> {
  setDefaultBehaviour(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** Prints the usage of an emulator, which runs until a signal ends it. */
export function present<Behaviour>(
  upstream: Upstream<Behaviour>,
  behaviour: NoInfer<Behaviour>,
  instructions: string,
): void {
  upstream.setDefaultBehaviour(behaviour);
  print(instructions);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void upstream.close());
  }
}

/** Formats names with their descriptions, one line each. */
export function aligned(
  rows: readonly { readonly name: string; readonly about: string }[],
): string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
}
