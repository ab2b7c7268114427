/** The facts that distinguish a file of the bridge from a foreign file of the same name. */
export interface PublishedFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface FileContent {
  readonly bytes: Buffer;
  /** Text that stays equal as long as the file is unchanged. Undefined if an immediate change might not alter it. */
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
   * Writes a file of this many bytes to the folder of staged files and removes it, as a test that publications can succeed
   * now. Before `prepare` was called, it only checks that `prepare` could succeed and creates nothing. A store that several
   * replicas share always resolves, because one fault would take all replicas out of service at once. Throws `artifact` if
   * the write fails.
   */
  probe(bytes: number): Promise<void>;
  /**
   * Resolves with true if the folder from `prepare` is missing. After the first publication this means that the root is not
   * mounted.
   */
  isMissing(): Promise<boolean>;
  /** Resolves with true if a file or folder of any kind has this name. */
  isTaken(name: string): Promise<boolean>;
  /** Stores the bytes durably under an id, without a name. Throws `artifact` if `isMissing`, as does `publish`. */
  stage(id: string, bytes: Buffer): Promise<void>;
  /** Gives staged bytes their name. Never replaces a file: if the name is taken, it changes nothing and resolves with false. */
  publish(id: string, name: string): Promise<boolean>;
  /** Makes the names of all these files durable and deletes their staged copies. */
  settle(files: readonly PublishedFile[]): Promise<void>;
  /**
   * Removes durably the results of `stage` and `publish` for this file, complete or not. A file under the name is foreign and
   * stays if it is not the staged file, or, without a staged file, if its checksum differs. Throws `artifact` if `isMissing`,
   * because a file in a missing folder may still exist.
   */
  remove(file: PublishedFile): Promise<void>;
  /**
   * Resolves with a text that changes whenever the file is changed or replaced, or with undefined if there is no file. Does not
   * read the file.
   */
  stamp(name: string): Promise<string | undefined>;
  /** Resolves with the whole file, or with undefined if there is no regular file of exactly `bytes` bytes. */
  read(name: string, bytes: number): Promise<FileContent | undefined>;
}
