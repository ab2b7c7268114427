import type { ImageResponse } from '../contract/reply/image-response.ts';
import type { ImageJob } from '../contract/resources/job.ts';
import type { Settlement } from '../generation/ledger/ledger-store-port.ts';

export type JobFailure = NonNullable<ImageJob['error']>;

/** How a running job ends, and what is left of it. */
export type JobEnd = {
  readonly completedSecs: number;
  /** The calls of the job that are not counted yet. Undefined if they are not known, because another process ran the job. */
  readonly settlement?: Settlement | undefined;
} & (
  | {
      readonly status: 'succeeded';
      readonly result: ImageResponse;
      /** Ids of the artifacts of this result, whose publications are pending. */
      readonly publications: readonly string[];
    }
  | {
      readonly status: 'failed' | 'cancelled' | 'interrupted';
      readonly error: JobFailure;
      /** Ids of the artifacts that are finished; none unless given. */
      readonly publications?: readonly string[];
    }
);
