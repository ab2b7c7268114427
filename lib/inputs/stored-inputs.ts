import type { StoredInput } from '../contract/request/image-input.ts';
import { uprightEdges, type VerifiedImage } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import { createKeyedMutex } from '../platform/keyed-mutex.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface Deps {
  readonly files: StoredInputFiles;
  /** Resolves with true if a job in the history was accepted with the image. */
  readonly isNeeded: (sha256: string) => Promise<boolean>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export type StoredInputs = ReturnType<typeof createStoredInputs>;

/**
 * Creates the functions that store the images of jobs. An image is stored before its job is accepted and is kept until the last
 * job with the image leaves the history. Jobs with the same image share one file. A removal never removes the image of a job
 * that is being accepted, because such images are held, and the check that no job needs an image runs under the mutex for that
 * image. Other processes keep the image because it was stored a short time ago, and the store accepts no job whose images were stored
 * too long ago.
 */
export function createStoredInputs({ files, isNeeded, clock }: Deps) {
  const byChecksum = createKeyedMutex();
  const holders = new Map<string, number>();

  function hold(sha256: string): void {
    holders.set(sha256, (holders.get(sha256) ?? 0) + 1);
  }

  function release(sha256: string): void {
    const left = (holders.get(sha256) ?? 0) - 1;
    if (left > 0) holders.set(sha256, left);
    else holders.delete(sha256);
  }

  async function removeUnneeded(sha256s: Iterable<string>): Promise<void> {
    for (const sha256 of new Set(sha256s)) {
      await byChecksum.run(sha256, async () => {
        if (!holders.has(sha256)) await files.remove(sha256, () => isNeeded(sha256));
      });
    }
  }

  return {
    /** True if images that no job needs may remain after `removeUnneeded`, until a later `sweep`. */
    isShared: files.isShared,

    /**
     * Stores the images durably and then runs `accept`, which adds the job that needs the images. `accept` receives the
     * `imagesStoredMs` of the job. This process removes no image before `accept` ends. Images that no job needs afterwards,
     * because the job was rejected or is a repetition, are removed. Throws `overloaded` if an image cannot be stored, and any
     * error of `accept`. Rejects with the reason of the signal if the signal aborts before `accept`.
     */
    async keepFor<T>(
      images: readonly Pick<VerifiedImage, 'sha256' | 'bytes'>[],
      signal: AbortSignal,
      accept: (imagesStoredMs: number | undefined) => Promise<T>,
    ): Promise<T> {
      const imagesStoredMs = files.isShared ? clock.nowMs() : undefined;
      const bytesOf = new Map(images.map(({ sha256, bytes }) => [sha256, bytes]));
      for (const sha256 of bytesOf.keys()) hold(sha256);
      try {
        for (const [sha256, bytes] of bytesOf) {
          signal.throwIfAborted();
          await byChecksum.run(sha256, () => files.put(sha256, bytes));
        }
        signal.throwIfAborted();
        return await accept(imagesStoredMs);
      } finally {
        for (const sha256 of bytesOf.keys()) release(sha256);
        // Images that cannot be removed now are removed at the next start. The reply does not depend on their removal.
        await removeUnneeded(bytesOf.keys()).catch(() => {});
      }
    },

    /** Removes the given images that no job needs any longer. Throws `overloaded` if the store or a removal fails. */
    removeUnneeded,

    /**
     * Removes all stored images that no job needs. Throws `overloaded` if the store or a removal fails, or the reason of the
     * signal.
     */
    async sweep(signal: AbortSignal): Promise<void> {
      for await (const batch of files.list()) {
        signal.throwIfAborted();
        await removeUnneeded(batch);
      }
    },
  };
}

/** The facts about an image that the stored request of a job contains. */
export type StoredImage = Pick<
  VerifiedImage,
  'sha256' | 'format' | 'bytes' | 'width' | 'height' | 'orientation'
>;

/** Returns the entry for an image in the request of a job (docs/contract.md, section 3). */
export function toStoredInput(image: StoredImage, filename?: string): StoredInput {
  const { sha256, format, bytes } = image;
  const { width, height } = uprightEdges(image);
  const facts = { sha256, media_type: `image/${format}`, bytes: bytes.length } as const;
  return { type: 'stored', ...facts, width, height, ...(filename !== undefined && { filename }) };
}
