import type { Load } from './load.ts';
import type { ProgramOptions } from './program.ts';
import type { ServerProcess, StartServer } from './server-process.ts';

/** One line of the table, ready to print. What a line does not have is printed as a dash. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  /** What it was measured against, and what that gave. */
  readonly against?: string;
  readonly theirs?: string;
  /** The median of the rounds' ratios, and the least and the greatest of them. */
  readonly ratio?: string;
  /** The same in processor time of the two servers, which other work on the machine disturbs less. */
  readonly cpuRatio?: string;
  readonly budget: string;
  /** Event-loop delay, p99 and worst, of ours and of what it was measured against. */
  readonly loop?: string;
}

/** What a bench may use. Whatever it starts ends with the run. */
export interface Tools {
  /** How often each side is measured, in turns. */
  readonly rounds: number;
  /** A fresh folder, removed at the end. */
  readonly folder: string;
  readonly load: Load;
  readonly start: StartServer;
  /** The program as a user starts it. */
  readonly startProgram: (options: ProgramOptions) => Promise<ServerProcess>;
}

export interface Bench {
  readonly name: string;
  run(tools: Tools): Promise<readonly Row[]>;
}
