import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactFiles } from '../../../lib/artifacts/artifact-files-port.ts';
import { createArtifactRoot } from '../../../lib/artifacts/artifact-root.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { VerifiedImage } from '../../../lib/images/image.ts';
import { type Clock, systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createArtifactFiles } from '../../../lib/storage/file-system/artifact-files.ts';
import { createArtifactStore } from '../../../lib/storage/sqlite/artifact-store.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../lib/storage/sqlite/database.ts';

export type ArtifactRig = Awaited<ReturnType<typeof openArtifactRig>>;

export const noAbort = new AbortController().signal;

/** A publisher with a real store and a real folder, an hour after every file time. */
export async function openArtifactRig() {
  const directory = await mkdtemp(join(tmpdir(), 'artifacts-'));
  const root = join(directory, 'artifacts');
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 3_600_000 };
  const ids = createIds(clock.nowMs);
  const database = openStateDatabase({ file: stateDatabaseFile(directory), ids });
  const store = createArtifactStore(database);
  const realFiles = createArtifactFiles({ root, clock });
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
    database,
    store,
    files,
    artifactRoot,
    publisher: createPublisher({ store, files, artifactRoot, ids, clock }),

    /** Refuses these files of those that are staged from now on, counted from 1. */
    refuseStaged(nths: readonly number[]): void {
      staged = 0;
      refused = nths;
    },

    /** What the next process does at its start. */
    async recover(): Promise<void> {
      const next = createArtifactStore({ ...database, owner: ids.newOpaqueId() });
      await createPublisher({ store: next, files, artifactRoot, ids, clock }).recover();
    },

    /** The names of all files below the root, with links, without folders. */
    async names(): Promise<string[]> {
      const files = await filesBelow(root);
      return files.map((file) => file.slice(root.length + 1)).sort();
    },

    /** The same with their content. */
    async onDisk(): Promise<Record<string, string>> {
      const names = await this.names();
      const contents = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
      return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']));
    },

    async close(): Promise<void> {
      await database.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Without following links: from Node 26 on, a recursive `readdir` follows them. */
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

/** Publication looks at no pixels, so any bytes are an image here. */
export function imageOf(content: string | Buffer): VerifiedImage {
  const bytes = Buffer.from(content);
  return {
    bytes,
    format: 'png',
    width: 2,
    height: 3,
    orientation: 1,
    alpha: 'none',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** An object whose calls have no effect after this many half steps. The crash is thus before or after the work of a call. */
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
