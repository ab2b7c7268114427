/** One thing wrong with the configuration. */
export interface Problem {
  /** The setting, or what named the file when the file itself is at fault. */
  readonly field: string;
  /** The path of the file as it was given, the variable's name, or the flag. */
  readonly source: string;
  /** Where in the file, from 1. */
  readonly line?: number;
  /** Completes "the field …"; never holds the value, which may be a secret. */
  readonly message: string;
}

/** Something that works, and that the operator should know. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

/** `server.bind (bridge.toml:3): must be …`. */
export function problemLine({ field, source, line, message }: Problem): string {
  return `${field} (${line === undefined ? source : `${source}:${line}`}): ${message}`;
}

/** `server.bind (warning): …`. */
export function warningLine({ field, message }: Warning): string {
  return `${field} (warning): ${message}`;
}
