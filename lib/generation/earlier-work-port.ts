import type { ArtifactRecord, JobOutput } from '../artifacts/artifact-store-port.ts';
import type { OpenCall } from './ledger/ledger-store-port.ts';

/** A call that an ended process opened on the current route of a job. */
export interface EarlierCall extends OpenCall {
  /** The ticket with which the provider continues the call. If absent, the outcome of the call is unknown. */
  readonly ticket?: string;
}

/** An image that an ended process published for a job. Its publication now belongs to this process. */
export interface EarlierImage {
  readonly record: ArtifactRecord;
  readonly facts: JobOutput['facts'];
}

/** The work of an ended process on a job that continues in this process. */
export interface EarlierWork {
  /** The number of earlier renewals of the account. */
  readonly renewals: number;
  /** The provider of the current route. */
  readonly provider: string;
  readonly model: string;
  /** Sorted by `call`. */
  readonly calls: readonly EarlierCall[];
  readonly images: readonly EarlierImage[];
}
