/** One error in the configuration. */
export interface Problem {
  /**
   * The path of the setting. If the problem concerns the file as a whole, the flag, the variable or the file name that
   * selected the file.
   */
  readonly field: string;
  /** The path of the file as it was given, the name of the variable, or the flag. */
  readonly source: string;
  /** The line in the file, from 1. */
  readonly line?: number | undefined;
  /** A text that completes "the field …". It never contains the value, which may be a secret. */
  readonly message: string;
}

/** A valid setting that the operator should reconsider. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/** Formats a problem, such as `server.bind (bridge.toml:3): must be …`. */
export function problemLine({ field, source, line, message }: Problem): string {
  return `${field} (${line === undefined ? source : `${source}:${line}`}): ${message}`;
}

/** Formats a warning, such as `server.bind (warning): …`. */
export function warningLine({ field, message }: Warning): string {
  return `${field} (warning): ${message}`;
}
