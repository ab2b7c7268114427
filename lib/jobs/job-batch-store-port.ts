import type { BatchAction } from '../contract/resources/job-batch.ts';

/** The values of a job before a batch changed them. A field is absent if the batch did not change it. */
export interface JobBefore {
  readonly id: string;
  readonly labels?: readonly string[] | undefined;
  readonly priority?: number | undefined;
}

/** A batch whose changes can be undone. */
export interface StoredBatch {
  /** A UUIDv7, or a UUIDv8 that follows from the request. */
  readonly id: string;
  readonly scope: string;
  readonly action: BatchAction;
  /** The changed jobs, in the order of the batch. */
  readonly jobs: readonly JobBefore[];
  /** The time after which the batch cannot be undone. */
  readonly expiresSecs: number;
}

/** Stores the batches that can be undone. Every method is one transaction and is durable when it resolves. */
export interface JobBatchStore {
  /**
   * Stores a batch. Removes the batches that have expired at `nowSecs`, and the oldest batches of the scope if it has more than
   * `maxOfScope`. Throws `overloaded` if the store cannot write.
   */
  add(
    batch: StoredBatch,
    limits: { readonly nowSecs: number; readonly maxOfScope: number },
  ): Promise<void>;
  /** Resolves with a batch of the scope that has not expired, or undefined if there is no such batch. */
  find(scope: string, id: string, nowSecs: number): Promise<StoredBatch | undefined>;
  remove(id: string): Promise<void>;
  /** Replaces the jobs of a batch. Does nothing if there is no such batch. */
  replaceJobs(id: string, jobs: readonly JobBefore[]): Promise<void>;
}
