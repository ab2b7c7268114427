import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { fileReason, saveFile } from '../save-file.ts';

/** One change of the disk, described before it is made. */
export interface Change {
  /** What is done, in whole lines. */
  readonly text: string;
  /** Throws `configuration`. */
  make(): Promise<void>;
}

const FOR_OWNER = 0o700;
const FILE_FOR_OWNER = 0o600;

/** None where the folder exists. */
export function newFolder(
  path: string,
  { isPrivate }: { readonly isPrivate: boolean },
): readonly Change[] {
  if (existsSync(path)) return [];
  const mode = isPrivate ? FOR_OWNER : 0o777;
  return [
    {
      text: `make the folder ${path}${isPrivate ? ', for its owner alone' : ''}\n`,
      make: () => named(path, async () => void (await mkdir(path, { recursive: true, mode }))),
    },
  ];
}

/** Writes a file that does not exist, and its folder, for their owner alone. */
export function newFile(path: string, content: string): Change {
  const indented = content.replace(/^(?=.)/gm, '    ');
  return {
    text: `write the file ${path}, for its owner alone:\n\n${indented}\n`,
    make: () =>
      named(path, async () => {
        await mkdir(dirname(path), { recursive: true, mode: FOR_OWNER });
        const options = { replaces: false, mode: FILE_FOR_OWNER };
        if (await saveFile(path, Buffer.from(content), options)) return;
        throw new BridgeError('configuration', `${path} exists, or is a link that leads nowhere`);
      }),
  };
}

async function named(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof BridgeError) throw error;
    const message = `${path} cannot be written: ${fileReason(error)}`;
    throw new BridgeError('configuration', message, { cause: error });
  }
}
