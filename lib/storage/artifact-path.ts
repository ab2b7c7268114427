import { BridgeError } from '../errors/bridge-error.ts';

const PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Returns true if an artifact can have this name. */
export function isArtifactName(name: string): boolean {
  return name.split('/').every((part) => PART.test(part));
}

/** Splits the name of an artifact into folders and filename. Throws `artifact` if the name could lead outside the root. */
export function splitName(name: string): { folder: readonly string[]; filename: string } {
  const parts = name.split('/');
  const filename = parts.pop();
  // Names are checked against this pattern when they are chosen, so any other name comes from an edited database.
  if (filename === undefined || !isArtifactName(name)) {
    throw new BridgeError('artifact', 'the stored name of an artifact is not portable');
  }
  return { folder: parts, filename };
}
