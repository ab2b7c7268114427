import type { StoredInput } from '../contract/request/image-input.ts';
import type { VerifiedImage } from '../images/image.ts';
import { createKeyedMutex } from '../platform/keyed-mutex.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface Deps {
  readonly files: StoredInputFiles;
  /** Whether a job that has been accepted and has not ended needs the image. */
  readonly isNeeded: (sha256: string) => Promise<boolean>;
}

export type StoredInputs = ReturnType<typeof createStoredInputs>;

/**
 * Keeps the images of jobs, one file for all jobs that share it, from before a job is accepted until none needs it any
 * more. A removal and a new job that meet at one image never lose it: nobody removes what is held for a job to come,
 * and whether a job needs it is asked while no other turn of the same image runs.
 */
export function createStoredInputs({ files, isNeeded }: Deps) {
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
        if (holders.has(sha256) || (await isNeeded(sha256))) return;
        await files.remove(sha256);
      });
    }
  }

  return {
    /**
     * Has the images durably and then runs `accept`, which makes a job need them; none goes away in between. What no
     * job needs afterwards, because it was refused or is a repetition, is removed again. Throws `overloaded`, whatever
     * `accept` throws, or the signal's reason before it.
     */
    async keepFor<T>(
      images: readonly Pick<VerifiedImage, 'sha256' | 'bytes'>[],
      signal: AbortSignal,
      accept: () => Promise<T>,
    ): Promise<T> {
      const bytesOf = new Map(images.map(({ sha256, bytes }) => [sha256, bytes]));
      for (const sha256 of bytesOf.keys()) hold(sha256);
      try {
        for (const [sha256, bytes] of bytesOf) {
          signal.throwIfAborted();
          await byChecksum.run(sha256, () => files.put(sha256, bytes));
        }
        signal.throwIfAborted();
        return await accept();
      } finally {
        for (const sha256 of bytesOf.keys()) release(sha256);
        // What cannot be removed now is removed at the next start; the answer does not depend on it.
        await removeUnneeded(bytesOf.keys()).catch(() => {});
      }
    },

    /** Removes those that no job needs: for when jobs have ended. Throws `overloaded`. */
    removeUnneeded,

    /** The same for all that is there, whatever a crash has left. Throws `overloaded`, or the signal's reason. */
    async sweep(signal: AbortSignal): Promise<void> {
      for await (const batch of files.list()) {
        signal.throwIfAborted();
        await removeUnneeded(batch);
      }
    },
  };
}

/** What has to be known of an image that is kept. */
export type StoredImage = Pick<VerifiedImage, 'sha256' | 'format' | 'bytes'>;

/** An image of a job, as the job shows it and asks for it again (contract.md 3). */
export function toStoredInput(
  { sha256, format, bytes }: StoredImage,
  filename?: string,
): StoredInput {
  const stored = {
    type: 'stored',
    sha256,
    media_type: `image/${format}`,
    bytes: bytes.length,
  } as const;
  return filename === undefined ? stored : { ...stored, filename };
}
