/** The facts that distinguish a file of the bridge from a foreign file with the same name. */
export interface PublishedFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The headers of a file that is read without the bridge. */
export interface LinkedHeaders {
  readonly 'content-type': string;
  readonly 'content-disposition': string;
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
 * The files of artifacts, in a folder or as the objects of a bucket. Names are portable relative paths from `artifact-names.ts`,
 * and no name ever leads out of the root: the folder, or the prefix in the bucket. Methods throw `artifact` if an operation on
 * the files fails, and `overloaded` with the reason `artifact_store_unavailable` if the files cannot be reached now and the
 * operation may be repeated. The messages contain no path.
 */
export interface ArtifactFiles {
  /** True if several replicas use the files. A fault of shared files must not take all replicas out of service at once. */
  readonly isShared: boolean;
  /** Error message for the case that `isMissing` resolves with true after the first publication. */
  readonly missingMessage: string;
  /**
   * Prepares the root durably for publications if it is not prepared yet. Must be called before a publication is recorded
   * anywhere.
   */
  prepare(): Promise<void>;
  /**
   * Tests that publications can succeed now. Writes and removes a file of this many bytes if the driver cannot tell otherwise.
   * Before `prepare` was called, only checks that `prepare` could succeed and creates nothing. Throws if the test fails.
   */
  probe(bytes: number): Promise<void>;
  /**
   * Resolves with true if the root is not prepared. After the first publication this means that the folder is not mounted, or
   * that the bucket was emptied or is another bucket. A driver that asks another machine may resolve with an answer that is one
   * second old.
   */
  isMissing(): Promise<boolean>;
  /**
   * Resolves with the names that are taken by a file or folder of any kind. The answer may be outdated when it arrives, so only
   * `publish` decides.
   */
  findTaken(names: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Keeps the bytes of a file, in one or more parts, under an id, without a name. The bytes are durable after `settle`. `stage` and
   * `publish` throw `artifact` if `isMissing` would resolve with true.
   */
  stage(id: string, ...parts: readonly Buffer[]): Promise<void>;
  /**
   * Gives a name to staged bytes. Never replaces a file: if the name is taken, changes nothing and resolves with false. After
   * `overloaded`, the same call may be repeated.
   */
  publish(id: string, name: string): Promise<boolean>;
  /** Makes all these files durable under their names and deletes their staged copies. */
  settle(files: readonly PublishedFile[]): Promise<void>;
  /**
   * Durably removes the results of `stage` and `publish` for this file, even if they are incomplete. A foreign file under the
   * name is kept. The file is foreign if it is not the staged file or, without a staged file, if its checksum differs or another
   * id is stored with it. Throws `artifact` if the root is missing, because the file may still exist when the root is back.
   */
  remove(file: PublishedFile): Promise<void>;
  /**
   * Resolves with a text that changes whenever the file is changed or replaced. Resolves with undefined if there is no file.
   * Does not read the file. A driver that asks another machine may return a text again for a configured time.
   */
  stamp(name: string): Promise<string | undefined>;
  /** Resolves with the whole file, or with undefined if there is no regular file of exactly `bytes` bytes. */
  read(name: string, bytes: number): Promise<FileContent | undefined>;
  /**
   * Resolves with a URL from which anybody can read the file with these headers for a minute. Resolves with undefined if the
   * name has no file, or has another file than the published one. Does not read the file. Absent if files have no URLs.
   */
  readonly link?: (file: PublishedFile, headers: LinkedHeaders) => Promise<string | undefined>;
}
