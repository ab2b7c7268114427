import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';

type Settings = Config['providers']['comfyui'][string]['workflows'][string];

// A workflow of a thousand nodes has a megabyte.
const MAX_BYTES = 4_194_304;

/** The workflow of a model as its file is now. Throws `configuration` for one that cannot be used; the path is not in its message. */
export async function readWorkflow(settings: Settings): Promise<Workflow> {
  return parseWorkflow(await readText(settings.file), settings);
}

async function readText(path: string): Promise<string> {
  try {
    const file = await open(resolve(path), 'r');
    try {
      const { size } = await file.stat();
      if (size <= MAX_BYTES) return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new BridgeError('configuration', 'the workflow of the model cannot be read', { cause });
  }
  throw new BridgeError('configuration', 'the workflow of the model is larger than 4 MiB');
}
