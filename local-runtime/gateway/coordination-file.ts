import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The two slots of a deployment, of which only one runs. */
export const SLOTS = ['blue', 'green'] as const;

export type Slot = (typeof SLOTS)[number];

/** Where new requests are sent; `hold` keeps them at the gateway. */
export type Target = Slot | 'hold';

// Longer than every value with a line break.
const MAX_BYTES = 16;

/** What the coordination file says. Whatever is not exactly the name of a slot means `hold`. */
export async function readCoordination(path: string): Promise<Target> {
  let file: FileHandle | undefined;
  try {
    // Without waiting: a named pipe in its place would hold up a thread until something is written to it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return toTarget(buffer.toString('latin1', 0, bytesRead));
  } catch {
    return 'hold';
  } finally {
    await file?.close();
  }
}

function toTarget(text: string): Target {
  const value = text.replace(/\r?\n$/, '');
  return SLOTS.find((slot) => slot === value) ?? 'hold';
}
