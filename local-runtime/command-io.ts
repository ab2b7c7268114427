/** What a command reads and writes; each text is whole lines, but for a progress line. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Writes to standard output what is no text. */
  readonly writeBytes: (bytes: Uint8Array) => void;
  /** Reads standard input to its end; undefined if it is longer than `maxBytes`. */
  readonly readInput: (maxBytes: number) => Promise<Buffer | undefined>;
  /** Which of the standard streams are terminals. */
  readonly isTerminal: Readonly<Record<'stdin' | 'stdout' | 'stderr', boolean>>;
  /** Writes the question to standard error and resolves to the next line of standard input; empty at its end. */
  readonly ask: (question: string) => Promise<string>;
  /** Resolves when the command is asked to stop, by Ctrl+C or SIGTERM. Without this call a signal ends the process. */
  readonly untilStopped: () => Promise<void>;
}
