import { readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Clock } from '../../../lib/platform/clock.ts';
import { saveFile, syncFolder } from '../../../lib/platform/durable-file.ts';
import { SLOTS } from '../coordination.ts';

const RECORD = v.object({
  /** The slot that was active before the handoff. Null if no slot was active. */
  from: v.nullable(v.picklist(SLOTS)),
  to: v.picklist(SLOTS),
  /** The value is `back` after the candidate has failed. */
  direction: v.picklist(['forward', 'back']),
});

/** The record of an unfinished handoff. A later run needs only these fields to continue, because every step can be repeated. */
export type HandoffRecord = Readonly<v.InferOutput<typeof RECORD>>;

/** The permissions of the files that the gateway reads. All users can read them, because the gateway may run as another user. */
export const READABLE_BY_ALL = 0o644;

/** Returns the path of the record that belongs to a coordination file. */
export function recordPath(coordination: string): string {
  return `${coordination}.handoff`;
}

/**
 * Resolves with the record of an unfinished handoff, or undefined if no record exists. Throws `configuration` for an invalid file.
 */
export async function readRecord(path: string): Promise<HandoffRecord | undefined> {
  try {
    return v.parse(RECORD, JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new BridgeError('configuration', `${path}: the file is not a handoff record`, { cause });
  }
}

export async function writeRecord(path: string, record: HandoffRecord): Promise<void> {
  const text = `${JSON.stringify(record)}\n`;
  await saveFile(path, text, { replaces: true, mode: READABLE_BY_ALL });
}

export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

const BEAT_MS = 5000;
// Several times `BEAT_MS`, because an update may be late on a busy machine.
const SILENT_AFTER_MS = 20_000;

/** Updates the modification time of the record every few seconds, until the returned function is called. */
export function keepFresh(path: string, clock: Clock): () => void {
  let cancel = () => {};
  const beat = () => {
    const secs = clock.nowMs() / 1000;
    // The update fails if the handoff has ended and the record has been removed.
    utimes(path, secs, secs).catch(() => {});
    cancel = clock.after(BEAT_MS, beat);
  };
  beat();
  return () => cancel();
}

/** Resolves with true if the record was updated recently. A handoff is then running and will end the hold. */
export async function isFresh(path: string, clock: Pick<Clock, 'nowMs'>): Promise<boolean> {
  try {
    return clock.nowMs() - (await stat(path)).mtimeMs < SILENT_AFTER_MS;
  } catch {
    return false;
  }
}
