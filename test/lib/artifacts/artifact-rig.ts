import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactFiles } from '../../../lib/artifacts/artifact-files-port.ts';
import { createArtifactRoot } from '../../../lib/artifacts/artifact-root.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { inParts, type VerifiedInParts } from '../../../lib/images/image.ts';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openTestStores } from '../../support/stores.ts';

export type ArtifactRig = Awaited<ReturnType<typeof openArtifactRig>>;

export const noAbort = new AbortController().signal;

/** Creates a publisher with a real store and a real folder. Its clock is an hour ahead of all file times. */
export async function openArtifactRig() {
  const directory = await mkdtemp(join(tmpdir(), 'artifacts-'));
  const root = join(directory, 'artifacts');
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 3_600_000 };
  const ids = createIds(clock.nowMs);
  const stores = await openTestStores({ clock, ids, directory, root });
  const { artifacts: store, artifactFiles: realFiles } = stores;
  let staged = 0;
  let refused: readonly number[] = [];
  const files: ArtifactFiles = {
    ...realFiles,
    async stage(...given) {
      staged += 1;
      if (refused.includes(staged)) throw new BridgeError('artifact', 'the disk is full');
      await realFiles.stage(...given);
    },
  };
  const artifactRoot = createArtifactRoot({ store, files });

  return {
    directory,
    root,
    clock,
    ids,
    stores,
    state: stores.state,
    store,
    files,
    artifactRoot,
    publisher: createPublisher({ store, files, artifactRoot, ids, clock }),

    /** Makes the staging of these files fail. Files staged from now on are counted from 1. */
    refuseStaged(nths: readonly number[]): void {
      staged = 0;
      refused = nths;
    },

    /** Recovers in the same way as the next process does at its start. */
    async recover(): Promise<void> {
      const { artifacts: next } = await stores.ofNextProcess();
      await createPublisher({ store: next, files, artifactRoot, ids, clock }).recover();
    },

    /** Returns the names of all files and links below the root, without folders. */
    async names(): Promise<string[]> {
      const files = await filesBelow(root);
      return files.map((file) => file.slice(root.length + 1)).sort();
    },

    /** Returns the names and contents of all files below the root. */
    async onDisk(): Promise<Record<string, string>> {
      const names = await this.names();
      const contents = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
      return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']));
    },

    async close(): Promise<void> {
      await stores.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Lists files without following links. A recursive `readdir` follows links from Node 26 on. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    }),
  );
  return below.flat();
}

/** Returns any text as an image, because publication does not read pixels. */
export function imageOf(content: string | Buffer): VerifiedInParts {
  const bytes = Buffer.from(content);
  return inParts({
    bytes,
    format: 'png',
    width: 2,
    height: 3,
    orientation: 1,
    alpha: 'none',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
}

/**
 * Wraps an object so that its calls have no effect after this many half steps. The crash is then before or after the work of
 * a call.
 */
export function mortal<T extends object>(target: T, life: { steps: number; over: boolean }): T {
  const spend = () => {
    if (life.over || life.steps === 0) {
      life.over = true;
      throw new Error('crashed');
    }
    life.steps -= 1;
  };
  return new Proxy(target, {
    get(object, key, receiver) {
      const method: unknown = Reflect.get(object, key, receiver);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        spend();
        const result: unknown = await method.apply(object, args);
        spend();
        return result;
      };
    },
  });
}
