import type { ArtifactImage, Delivered } from '../contract/reply/image-response.ts';
import type { Provenance } from '../contract/reply/provenance.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';

/** The record of an artifact. The record exists from the moment the name is claimed. */
export interface ArtifactRecord {
  /** Id of 128 random bits in lowercase hexadecimal. */
  readonly id: string;
  /** Authorization scope of the owner (docs/contract.md, section 11). */
  readonly scope: string;
  /** Portable relative path below the artifact root, with `/` between its parts. Unique among artifacts. */
  readonly name: string;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
  /** Length of the encoded image in bytes. */
  readonly bytes: number;
  /** SHA-256 of the encoded image in lowercase hexadecimal. */
  readonly sha256: string;
  readonly createdSecs: number;
  /** Metadata file that is published with the image. */
  readonly sidecar?: SidecarRecord;
  /** Provenance of the image. Absent for images of earlier versions. */
  readonly provenance?: Provenance | undefined;
}

/** The record of the metadata file beside an image. The record exists from the moment the name is claimed. */
export interface SidecarRecord {
  /** Path in the same form as the name of the image. Unique among sidecars. */
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file in lowercase hexadecimal. */
  readonly sha256: string;
}

/** The link from an image to the running job that produced the image. */
export interface JobOutput {
  /** Number of the job in the job store. */
  readonly job: number;
  /** Facts about the image that its artifact record does not contain. */
  readonly facts: Pick<ArtifactImage, 'index' | 'generation_ms' | 'revised_prompt'> & {
    /** The comparison of the image with the request. Absent in rows of earlier versions. */
    readonly delivered?: Delivered | undefined;
  };
}

/** The position of an artifact in the order of all artifacts by the time of publication. */
export type ArtifactPosition = Pick<ArtifactRecord, 'createdSecs' | 'id'>;

/** A page of intents in the order of their ids. An empty `after` begins with the first intent. */
export interface IntentPage {
  readonly after: string;
  readonly limit: number;
}

/**
 * The records of artifacts, and of publications that have begun but not ended (intents). Every method is one transaction and is
 * durable when it resolves. Methods throw `overloaded` if the store cannot write.
 */
export interface ArtifactStore {
  /**
   * Records the intent of this process to publish one image. `candidates` has a record of the image under each possible name.
   * The first candidate whose name and sidecar name are free is recorded and returned. If there is no such candidate, records
   * nothing and resolves with undefined. The link to `output` is recorded in the same transaction, but only if its job runs in
   * this process.
   */
  claim(
    candidates: readonly ArtifactRecord[],
    output?: JobOutput,
  ): Promise<ArtifactRecord | undefined>;
  /**
   * Moves an intent of this process to the names of the first free candidate. If no candidate is free, leaves the intent
   * unchanged and resolves with undefined. Throws `artifact` if the id is not an intent of this process.
   */
  rename(candidates: readonly ArtifactRecord[]): Promise<ArtifactRecord | undefined>;
  /**
   * Turns these intents of this process into artifacts: either all of the intents or none. Throws `artifact` if one of the ids
   * is not an intent of this process.
   */
  publish(ids: readonly string[]): Promise<void>;
  /**
   * Resolves with the ids that are intents of this process. Only this process may remove their files; it must not remove the
   * files under any other id.
   */
  findOwnIntents(ids: readonly string[]): Promise<readonly string[]>;
  /** Deletes these intents of this process. Any other id is ignored. */
  discard(ids: readonly string[]): Promise<void>;
  /** Resolves with a published artifact of this scope, or undefined if the scope has no such artifact. */
  find(scope: string, id: string): Promise<ArtifactRecord | undefined>;
  /** Lists published artifacts of all scopes, oldest first: at most `limit` artifacts up to `untilSecs` and after `after`. */
  listByAge(page: {
    readonly untilSecs: number;
    readonly after?: ArtifactPosition | undefined;
    readonly limit: number;
  }): Promise<readonly ArtifactRecord[]>;
  /**
   * Turns these artifacts back into intents of this process, which `find` does not return. Resolves with the records of the
   * artifacts that this call has turned. Any other id is ignored, so that only one of several processes removes a file.
   */
  withdraw(ids: readonly string[]): Promise<readonly ArtifactRecord[]>;
  /** Releases these intents of this process for the process that calls `takeAbandoned` next. Any other id is ignored. */
  abandon(ids: readonly string[]): Promise<void>;
  /**
   * Turns released intents and the intents of processes whose lease has ended into intents of this process, and resolves with
   * these intents: the first `limit` intents with an id greater than `after`, in the order of their ids. Leaves the intents with
   * a link to a running job unchanged, because the end of the job may turn them into artifacts.
   */
  takeAbandoned(page: IntentPage): Promise<readonly ArtifactRecord[]>;
  /** Resolves with the names that belong to an artifact or an intent of any process, or to its sidecar. Omits unused names. */
  findNames(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Resolves with true if there are neither artifacts nor intents, of any process. Takes constant time. */
  isEmpty(): Promise<boolean>;
  /** Counts the published artifacts of all scopes, without their sidecars. Takes constant time. */
  totals(): Promise<{ readonly count: number; readonly bytes: number }>;
}
