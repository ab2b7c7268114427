import type {
  ImageDelivery,
  StoredImageFile,
  VerifiedBytes,
} from '../artifacts/image-delivery-port.ts';
import type { StoredInput } from '../contract/request/image-input.ts';
import { inputsOf } from '../contract/resources/job.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'needsInput'>;
  readonly files: Pick<StoredInputFiles, 'stamp' | 'readWhole'>;
  readonly images: Pick<ImageDelivery, 'whole' | 'thumbnail'>;
}

/** One input image of a job, as the URL identifies it. */
export interface JobInputId {
  readonly id: string;
  /** A decimal number from 0 that counts the images, then the mask, then the references. Any other text matches no image. */
  readonly index: string;
}

/** An input image of a job, with its own bytes or those of its thumbnail. */
export interface OpenedInput extends VerifiedBytes {
  readonly input: StoredInput;
}

export type JobInputs = ReturnType<typeof createJobInputs>;

/** Delivers the input images of jobs to the owners of the jobs, while the jobs are in the history. */
export function createJobInputs({ store, files, images }: Deps) {
  async function find(scope: string, { id, index }: JobInputId): Promise<StoredInput> {
    const job = await store.find(scope, id);
    const input = job && inputsOf(job.request).find((_, nth) => String(nth) === index);
    // The same reply in every case, so that it does not reveal whether a job of another scope exists.
    if (!input) throw noSuchInput();
    return input;
  }

  function fileOf(
    scope: string,
    named: JobInputId,
    { sha256, bytes }: StoredInput,
  ): StoredImageFile {
    return {
      key: `input ${sha256}`,
      scope,
      sha256,
      stamp: () => files.stamp(sha256),
      read: () => files.readWhole(sha256, bytes),
      async refuseRemoved() {
        await find(scope, named);
        // The job may have been removed after it was found.
        if (!(await store.needsInput(sha256))) throw noSuchInput();
      },
    };
  }

  return {
    /**
     * Resolves with the whole image. Throws `not_found` if the scope has no such job, or if the job has no such image or does
     * not keep it any more. Throws `artifact` if the file is missing, changed or damaged, and the reason of the signal.
     */
    async open(scope: string, named: JobInputId, signal: AbortSignal): Promise<OpenedInput> {
      signal.throwIfAborted();
      const input = await find(scope, named);
      return { input, ...(await images.whole(fileOf(scope, named, input), signal)) };
    },

    /** Resolves with a PNG that fits a square of `edgePx`. Throws as `open` does. */
    async openThumbnail(
      scope: string,
      named: JobInputId,
      edgePx: number,
      signal: AbortSignal,
    ): Promise<OpenedInput> {
      signal.throwIfAborted();
      const input = await find(scope, named);
      return { input, ...(await images.thumbnail(fileOf(scope, named, input), edgePx, signal)) };
    },
  };
}

function noSuchInput(): BridgeError {
  return new BridgeError('not_found', 'there is no such job image');
}
