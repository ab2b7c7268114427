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

/** The parts of a URL that identify one input image of a job. */
export interface JobInputId {
  readonly id: string;
  /**
   * The position of the image as a decimal number from 0, in the order images, mask, references. Any other text matches no image.
   */
  readonly index: string;
}

/** An input image of a job, with the bytes of the image or of its thumbnail. */
export interface OpenedInput extends VerifiedBytes {
  readonly input: StoredInput;
}

export type JobInputs = ReturnType<typeof createJobInputs>;

/** Delivers the input images of jobs to the owners of the jobs until the jobs are removed from the history. */
export function createJobInputs({ store, files, images }: Deps) {
  async function find(scope: string, { id, index }: JobInputId): Promise<StoredInput> {
    const job = await store.find(scope, id);
    const input = job && inputsOf(job.request).find((_, nth) => String(nth) === index);
    // Every missing image causes the same error, so that the error does not reveal if a job of another scope exists.
    if (!input) throw noSuchInput();
    return input;
  }

  /** Finds an input image and resolves with the bytes that `deliver` makes of its file. */
  async function open(
    scope: string,
    named: JobInputId,
    signal: AbortSignal,
    deliver: (file: StoredImageFile) => Promise<VerifiedBytes>,
  ): Promise<OpenedInput> {
    signal.throwIfAborted();
    const input = await find(scope, named);
    const { sha256, bytes } = input;
    const delivered = await deliver({
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
    });
    return { input, ...delivered };
  }

  return {
    /**
     * Resolves with the whole image. Throws `not_found` if the job or the image does not exist in this scope, or if the image
     * is no longer stored. Throws `artifact` if the file is missing, changed or damaged, and the reason of the signal.
     */
    open: (scope: string, named: JobInputId, signal: AbortSignal): Promise<OpenedInput> =>
      open(scope, named, signal, (file) => images.whole(file, signal)),

    /** Resolves with a PNG that fits a square with edges of `edgePx` pixels. Throws the same errors as `open`. */
    openThumbnail: (
      scope: string,
      named: JobInputId,
      edgePx: number,
      signal: AbortSignal,
    ): Promise<OpenedInput> =>
      open(scope, named, signal, (file) => images.thumbnail(file, edgePx, signal)),
  };
}

function noSuchInput(): BridgeError {
  return new BridgeError('not_found', 'job image not found');
}
