/** The facts that distinguish a file of the bridge from a foreign file with the same name. */
export interface PublishedFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface FileContent {
  readonly bytes: Buffer;
  /**
   * Text that stays equal as long as the file is unchanged. Undefined if the file was changed so recently that another change
   * might not alter the text.
   */
  readonly stamp: string | undefined;
}

/**
 * The files of artifacts. Names are portable relative paths from `artifact-names.ts`, and no name ever leads out of the artifact
 * root. Methods throw `artifact` if an operation on the folder fails; the message contains no path.
 */
export interface ArtifactFiles {
  /** Creates the folder of staged files durably if it is missing. Must be called before a publication is recorded anywhere. */
  prepare(): Promise<void>;
  /**
   * Tests that publications can succeed now: writes a file of this many bytes to the folder of staged files and removes the
   * file. Before `prepare` was called, only checks that `prepare` could succeed and creates nothing. If several replicas share
   * the store, always resolves, because one fault would otherwise take all replicas out of service at once. Throws `artifact`
   * if the write fails.
   */
  probe(bytes: number): Promise<void>;
  /**
   * Resolves with true if the folder from `prepare` is missing. After the first publication this means that the root is not
   * mounted.
   */
  isMissing(): Promise<boolean>;
  /** Resolves with true if a file or folder of any kind has this name. */
  isTaken(name: string): Promise<boolean>;
  /**
   * Stores the bytes durably under an id, without a name. `stage` and `publish` throw `artifact` if `isMissing` would resolve
   * with true.
   */
  stage(id: string, bytes: Buffer): Promise<void>;
  /** Gives a name to staged bytes. Never replaces a file: if the name is taken, changes nothing and resolves with false. */
  publish(id: string, name: string): Promise<boolean>;
  /** Makes the names of all these files durable and deletes their staged copies. */
  settle(files: readonly PublishedFile[]): Promise<void>;
  /**
   * Durably removes the results of `stage` and `publish` for this file, even if they are incomplete. A foreign file under the
   * name is kept. The file is foreign if it is not the staged file or, without a staged file, if its checksum differs. Throws
   * `artifact` if the folder is missing, because the file may still exist when the folder is mounted again.
   */
  remove(file: PublishedFile): Promise<void>;
  /**
   * Resolves with a text that changes whenever the file is changed or replaced. Resolves with undefined if there is no file.
   * Does not read the file.
   */
  stamp(name: string): Promise<string | undefined>;
  /** Resolves with the whole file, or with undefined if there is no regular file of exactly `bytes` bytes. */
  read(name: string, bytes: number): Promise<FileContent | undefined>;
}
