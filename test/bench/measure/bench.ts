import type { Load } from './load.ts';
import type { ProgramOptions } from './program.ts';
import type { ServerProcess, StartServer } from './server-process.ts';

/** One line of the table, ready to print. Missing cells are printed as a dash. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  /** Work that it was measured against, and its figure. */
  readonly against?: string;
  readonly theirs?: string;
  /** Median of the ratios of the rounds, and the least and the greatest ratio. */
  readonly ratio?: string;
  /** The same ratio in CPU time of the two servers, which other work on the machine disturbs less. */
  readonly cpuRatio?: string;
  readonly budget: string;
  /** Delay of the event loop, p99 and worst, of ours and of the other side. */
  readonly loop?: string;
}

/** The resources of a bench. Everything that it starts ends with the run. */
export interface Tools {
  /** Number of measurements of each side, in turns. */
  readonly rounds: number;
  /** Creates a new folder, which is removed at the end. */
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
