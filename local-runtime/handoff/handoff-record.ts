import { readFile, rm, stat, utimes } from 'node:fs/promises';
import * as v from 'valibot';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { SLOTS } from '../gateway/coordination-file.ts';
import { replaceFile, syncFolder } from './replace-file.ts';

const RECORD = v.object({
  /** Which slot served before, if any did. */
  from: v.nullable(v.picklist(SLOTS)),
  to: v.picklist(SLOTS),
  /** `back` once the candidate has failed. */
  direction: v.picklist(['forward', 'back']),
});

/** What a handoff has begun. Every step of it may be repeated, so this is all that a later run needs to know. */
export type HandoffRecord = Readonly<v.InferOutput<typeof RECORD>>;

/** Returns the path of the record that belongs to a coordination file. */
export function recordPath(coordination: string): string {
  return `${coordination}.handoff`;
}

/** The record of a handoff that has not ended; undefined when there is none. Throws `configuration` for any other file. */
export async function readRecord(path: string): Promise<HandoffRecord | undefined> {
  try {
    return v.parse(RECORD, JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new BridgeError('configuration', `${path}: it is not the record of a handoff`, { cause });
  }
}

export function writeRecord(path: string, record: HandoffRecord): Promise<void> {
  return replaceFile(path, `${JSON.stringify(record)}\n`);
}

export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true });
  await syncFolder(path);
}

const BEAT_MS = 5000;
// Some beats may be late on a machine that is busy.
const SILENT_AFTER_MS = 20_000;

/** Touches the record every few seconds until the returned function is called. */
export function keepFresh(path: string, clock: Clock): () => void {
  let cancel = () => {};
  const beat = () => {
    const secs = clock.nowMs() / 1000;
    // The end of the handoff removes it.
    utimes(path, secs, secs).catch(() => {});
    cancel = clock.after(BEAT_MS, beat);
  };
  beat();
  return () => cancel();
}

/** True if a handoff has touched its record lately: it runs, and somebody will end the hold. */
export async function isFresh(path: string, clock: Pick<Clock, 'nowMs'>): Promise<boolean> {
  try {
    return clock.nowMs() - (await stat(path)).mtimeMs < SILENT_AFTER_MS;
  } catch {
    return false;
  }
}
