import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { readBytes } from '../credentials/private-file.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';

type Settings = Config['providers']['comfyui'][string]['workflows'][string];

// Room for a thousand nodes. The history of the server repeats it, and is read up to twice this length.
const MAX_BYTES = 1_048_576;
// Opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** The workflow of a model as its file is now. Throws `configuration` for one that cannot be used; the path is not in its message. */
export async function readWorkflow(settings: Settings): Promise<Workflow> {
  return parseWorkflow(await readText(settings.file), settings);
}

async function readText(path: string): Promise<string> {
  try {
    const file = await open(resolve(path), READ);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw unreadable('is no regular file');
      if (found.size > MAX_BYTES) throw unreadable('is larger than 1 MiB');
      return (await readBytes(file, found.size)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw cause instanceof BridgeError ? cause : unreadable('cannot be read', cause);
  }
}

function unreadable(what: string, cause?: unknown): BridgeError {
  return new BridgeError('configuration', `the workflow of the model ${what}`, { cause });
}
