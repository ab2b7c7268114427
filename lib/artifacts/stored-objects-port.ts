import type { PublishedFile } from './artifact-files-port.ts';

/**
 * The objects of a bucket as the bucket lists them, with or without a record. Methods throw `overloaded` if the bucket is
 * unavailable.
 */
export interface StoredObjects {
  /**
   * Resolves with true if no replica has begun a sweep within the last `everyMs`. If several replicas ask, only one gets true.
   */
  beginSweep(everyMs: number): Promise<boolean>;
  /** Lists the names of the objects that were written before `beforeMs`, in batches. Other programs may have written them. */
  list(beforeMs: number): AsyncIterable<readonly string[]>;
  /** Resolves with the artifact file that a bridge stored under this name. Undefined if another program wrote the object. */
  find(name: string): Promise<PublishedFile | undefined>;
}
