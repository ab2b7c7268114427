import type { OutputFormat } from '../contract/parameters.ts';

/** What is known of one artifact, from the moment its name is claimed. */
export interface ArtifactRecord {
  /** 128 random bits in lowercase hexadecimal. */
  readonly id: string;
  /** Whoever owns it: the authorization scope of contract.md 11. */
  readonly scope: string;
  /** A portable relative path below the artifact root, `/` between its parts. No two artifacts share one. */
  readonly name: string;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
  /** Length of the encoded picture. */
  readonly bytes: number;
  /** Of the encoded picture, lowercase hexadecimal. */
  readonly sha256: string;
  readonly createdSecs: number;
}

/**
 * Who owns which artifact, and which publications have begun and not ended. Every method is one transaction and has
 * been made durable when it resolves. Throws `overloaded` when the store refuses to write.
 */
export interface ArtifactStore {
  /**
   * Notes the intent to publish under the first of `names` that no other artifact has, and answers with that name;
   * undefined, and nothing noted, when all of them are taken.
   */
  claim(draft: Omit<ArtifactRecord, 'name'>, names: readonly string[]): Promise<string | undefined>;
  /** Moves an intent to the first of `names` that is free; undefined, and the intent as it was, when none is. */
  rename(id: string, names: readonly string[]): Promise<string | undefined>;
  /** Turns these intents into artifacts, all or none. Throws `artifact` when one of them is no intent. */
  publish(ids: readonly string[]): Promise<void>;
  /** Forgets these intents; what is no intent stays. */
  discard(ids: readonly string[]): Promise<void>;
  /** A published artifact of this very scope. */
  find(scope: string, id: string): Promise<ArtifactRecord | undefined>;
  /** Every intent, in no particular order. */
  listPending(): Promise<readonly ArtifactRecord[]>;
  /** The published artifacts of all scopes. Takes the same short time however many there are. */
  totals(): Promise<{ readonly count: number; readonly bytes: number }>;
}
