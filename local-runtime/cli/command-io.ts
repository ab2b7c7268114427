import type { StorageThread } from '../../lib/storage/storage-thread.ts';

/** The input and output of a command. Every text consists of whole lines, except for a progress line. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Writes binary data to standard output. */
  readonly writeBytes: (bytes: Uint8Array) => void;
  /** Reads standard input to its end. Resolves with undefined if the input is longer than `maxBytes`. */
  readonly readInput: (maxBytes: number) => Promise<Buffer | undefined>;
  /** The standard streams. The value is true if the stream is a terminal. */
  readonly isTerminal: Readonly<Record<'stdin' | 'stdout' | 'stderr', boolean>>;
  /** Writes the question to standard error and resolves with the next line of standard input. The line is empty at the end. */
  readonly ask: (question: string) => Promise<string>;
  /** Resolves on Ctrl+C or SIGTERM. Before the first call of this function, either signal ends the process. */
  readonly untilStopped: () => Promise<void>;
  /** The storage thread, if a thread was started together with the process. */
  readonly storageThread?: StorageThread | undefined;
}
