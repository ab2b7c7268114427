import { BridgeError } from '../../errors/bridge-error.ts';

const PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** An artifact's name as folders and filename. Throws `artifact` for one that could lead anywhere but below the root. */
export function splitName(name: string): { folder: readonly string[]; filename: string } {
  const parts = name.split('/');
  const filename = parts.pop();
  // Names are made by the contract's rules; one that breaks them comes from a database that was edited.
  if (filename === undefined || ![...parts, filename].every((part) => PART.test(part))) {
    throw new BridgeError('artifact', 'the stored name of an artifact is not portable');
  }
  return { folder: parts, filename };
}
