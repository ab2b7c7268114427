import { lstatSync } from 'node:fs';

/** Whether anything has this path, even a link that leads nowhere. False where its folder may not be searched. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
