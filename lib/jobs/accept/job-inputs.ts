import type {
  ImageDelivery,
  StoredImageFile,
  VerifiedBytes,
} from '../../artifacts/image-delivery-port.ts';
import type { StoredInput } from '../../contract/request/image-input.ts';
import { inputsOf } from '../../contract/resources/job.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import type { JobStore } from '../job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'needsInput'>;
  readonly files: Pick<StoredInputFiles, 'stamp' | 'readWhole'>;
  readonly images: Pick<ImageDelivery, 'whole' | 'thumbnail'>;
}

/** Which image of which job, as the URL names it. */
export interface JobInputId {
  readonly id: string;
  /** A decimal number from 0 over the images, then the mask, then the references; any other text names none. */
  readonly index: string;
}

/** An image that a job came with, and its bytes, or those of its thumbnail. */
export interface OpenedInput extends VerifiedBytes {
  readonly input: StoredInput;
}

export type JobInputs = ReturnType<typeof createJobInputs>;

/** Delivers the images that jobs came with to their owners, for as long as the jobs are in the history. */
export function createJobInputs({ store, files, images }: Deps) {
  async function find(scope: string, { id, index }: JobInputId): Promise<StoredInput> {
    const job = await store.find(scope, id);
    const input = job && inputsOf(job.request).find((_, nth) => String(nth) === index);
    // One reply for all: it does not show whether a job of another scope exists.
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
        // The images of jobs that ended before schema 12 were not kept.
        if (!(await store.needsInput(sha256))) throw noSuchInput();
      },
    };
  }

  return {
    /**
     * The whole image. Throws `not_found` when the scope has no such job or the job no such image (any more), `artifact` for
     * a file that is missing, changed or damaged, or the signal's reason.
     */
    async open(scope: string, named: JobInputId, signal: AbortSignal): Promise<OpenedInput> {
      signal.throwIfAborted();
      const input = await find(scope, named);
      return { input, ...(await images.whole(fileOf(scope, named, input), signal)) };
    },

    /** A PNG that fits a square of `edgePx`. Throws as `open`. */
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
  return new BridgeError('not_found', 'there is no such image of a job');
}
