import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { createOwnerFile, OWNER_FILE, OWNER_FOLDER } from '../../platform/owner-file.ts';
import type { ProviderInput } from '../provider-port.ts';
import { THREAD_ID } from './threads.ts';

interface Deps {
  /** The setting `state.directory`. */
  readonly stateDirectory: string;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

export type AgentFolders = ReturnType<typeof createAgentFolders>;

const FOLDER = 'agent-app-server';

/**
 * Manages the provider's files in the state directory: the child's home and working directory, the inputs of running
 * turns, and one file for each thread that is to be deleted. The file of a thread survives a crash, so that the thread
 * is deleted when the next child starts.
 */
export function createAgentFolders({ stateDirectory, ids }: Deps) {
  const root = resolve(stateDirectory, FOLDER);
  const home = join(root, 'home');
  const work = join(root, 'work');
  const inputs = join(root, 'inputs');
  const threads = join(root, 'threads');

  const make = (path: string) => mkdir(path, { recursive: true, mode: OWNER_FOLDER });

  return {
    home,
    work,

    /** Deletes the inputs that an earlier process left behind. */
    clear: () => asStateError(() => rm(inputs, { recursive: true, force: true })),

    /**
     * Creates the folders that the child needs to start. Throws `overloaded` if the state directory is not writable.
     */
    prepare: () =>
      asStateError(async () => {
        for (const path of [home, work, threads]) await make(path);
      }),

    /**
     * Writes the inputs of one turn as files. Resolves with the absolute paths of the files, in the order of the
     * inputs. Throws `overloaded` and leaves no files if the state directory is not writable.
     */
    async stage(images: readonly ProviderInput[]) {
      if (images.length === 0) return { paths: [], remove: async () => {} };
      const folder = join(inputs, ids.newOpaqueId());
      const remove = () => rm(folder, { recursive: true, force: true });
      const paths = images.map(({ mediaType }, index) =>
        join(folder, `${index + 1}.${mediaType.slice('image/'.length)}`),
      );
      try {
        await asStateError(async () => {
          await make(folder);
          await Promise.all(
            images.map(({ bytes }, index) =>
              writeFile(paths[index] ?? '', bytes, { flag: 'wx', mode: OWNER_FILE }),
            ),
          );
        });
      } catch (error) {
        await remove();
        throw error;
      }
      return { paths, remove };
    },

    /** Marks a thread for deletion. Throws `overloaded` if the state directory is not writable. */
    mark: (threadId: string) => asStateError(async () => createOwnerFile(join(threads, threadId))),

    /** Resolves with the ids of the marked threads. */
    marked: async (): Promise<readonly string[]> =>
      (await readdir(threads).catch(() => [])).filter((name) => THREAD_ID.test(name)),

    /** Removes the mark of a deleted thread. */
    unmark: (threadId: string) => rm(join(threads, threadId), { force: true }),

    /** Deletes the images that the agent has stored for a thread. The agent itself never deletes these images. */
    async removeGenerated(threadId: string): Promise<void> {
      if (!THREAD_ID.test(threadId)) return;
      await rm(join(home, 'generated_images', threadId), { recursive: true, force: true });
    },
  };
}

async function asStateError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new BridgeError('overloaded', 'cannot write to the state directory', { cause });
  }
}
