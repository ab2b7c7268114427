import { readFile, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
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
