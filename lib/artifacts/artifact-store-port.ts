import type { ArtifactImage } from '../contract/reply/image-response.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';

/** What is known of one artifact, from the moment its name is claimed. */
export interface ArtifactRecord {
  /** 128 random bits in lowercase hexadecimal. */
  readonly id: string;
  /** Its owner: the authorization scope of contract.md 11. */
  readonly scope: string;
  /** A portable relative path below the artifact root, `/` between its parts. No two artifacts share one. */
  readonly name: string;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
  /** Length of the encoded image. */
  readonly bytes: number;
  /** Of the encoded image, lowercase hexadecimal. */
  readonly sha256: string;
  readonly createdSecs: number;
  /** The metadata file that was published with it. */
  readonly sidecar?: SidecarRecord;
}

/** What is known of a file beside an image, from the moment its name is claimed. */
export interface SidecarRecord {
  /** As the image's name; no two sidecars share one. */
  readonly name: string;
  readonly bytes: number;
  /** Lowercase hexadecimal. */
  readonly sha256: string;
}

/** The output of a running job that an image is. */
export interface JobOutput {
  /** The number of the job in its store. */
  readonly job: number;
  /** The facts of the image that its artifact does not hold. */
  readonly facts: Pick<ArtifactImage, 'index' | 'generation_ms' | 'revised_prompt'>;
}

/** Where an artifact stands among all of them by the time of its publication. */
export type ArtifactPosition = Pick<ArtifactRecord, 'createdSecs' | 'id'>;

/**
 * Who owns which artifact, and which publications have begun and not ended. Every method is one transaction and has
 * been made durable when it resolves. Throws `overloaded` when the store refuses to write.
 */
export interface ArtifactStore {
  /**
   * Notes the intent of this process to publish one image, given under the names it may have: the first of `candidates` whose name,
   * and whose sidecar's, no other artifact has; undefined, and nothing noted, when there is none. The link to the `output` of a
   * job that runs in this process is noted with it; of any other job none is.
   */
  claim(
    candidates: readonly ArtifactRecord[],
    output?: JobOutput,
  ): Promise<ArtifactRecord | undefined>;
  /** Moves an intent to the names of the first candidate that is free; undefined, and the intent as it was, when none is. */
  rename(candidates: readonly ArtifactRecord[]): Promise<ArtifactRecord | undefined>;
  /** Turns these intents of this process into artifacts, all or none. Throws `artifact` when one of them is no such intent. */
  publish(ids: readonly string[]): Promise<void>;
  /** Forgets these intents; what is no intent stays. */
  discard(ids: readonly string[]): Promise<void>;
  /** A published artifact of this very scope. */
  find(scope: string, id: string): Promise<ArtifactRecord | undefined>;
  /** Published artifacts of all scopes, the oldest first: at most `limit` of those until `untilSecs` and behind `after`. */
  listByAge(page: {
    readonly untilSecs: number;
    readonly after?: ArtifactPosition | undefined;
    readonly limit: number;
  }): Promise<readonly ArtifactRecord[]>;
  /** Makes these artifacts intents of this process again, which `find` does not return; any other id is ignored. */
  withdraw(ids: readonly string[]): Promise<void>;
  /** Leaves these intents to the process that calls `adopt` next. */
  abandon(ids: readonly string[]): Promise<void>;
  /**
   * Takes over the intents of processes that have ended, and those that were abandoned; resolves to them. Those of
   * another process that still renews its lease at `nowSecs` stay with it.
   */
  adopt(nowSecs: number): Promise<readonly ArtifactRecord[]>;
  /** Every intent of every process, in no particular order. */
  listPending(): Promise<readonly ArtifactRecord[]>;
  /** The published artifacts of all scopes, without their sidecars. Takes the same short time however many there are. */
  totals(): Promise<{ readonly count: number; readonly bytes: number }>;
}
