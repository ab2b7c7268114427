import { toBridgeError } from '../errors/bridge-error.ts';

/** One error in the configuration. */
export interface Problem {
  /** The path of the setting. For a problem with the whole file, the flag, variable or file name that selected the file. */
  readonly field: string;
  /** The path of the file as the operator wrote it, the name of the variable, or the flag. */
  readonly source: string;
  /** The number of the line in the file. The first line is 1. */
  readonly line?: number | undefined;
  /** A text that completes "the field …". Never contains the value, because the value may be a secret. */
  readonly message: string;
}

/** A valid setting that the operator should reconsider. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/** Returns the message of a `configuration` error without the name of the setting before it. */
export function reasonOf(error: unknown): string {
  return toBridgeError(error).message.replace(/^[^:]*: /, '');
}

/** Formats a problem, such as `server.bind (bridge.toml:3): must be …`. */
export function problemLine({ field, source, line, message }: Problem): string {
  return `${field} (${line === undefined ? source : `${source}:${line}`}): ${message}`;
}

/** Formats a warning, such as `server.bind (warning): …`. */
export function warningLine({ field, message }: Warning): string {
  return `${field} (warning): ${message}`;
}
