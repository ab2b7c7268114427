/** What distinguishes our file from a foreign one of the same name. */
export interface PublishedFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface FileContent {
  readonly bytes: Buffer;
  /** Equal stamps mean an unchanged file. Undefined when a change that follows at once might not show. */
  readonly stamp: string | undefined;
}

/**
 * The bytes of artifacts. Names are portable relative paths as `artifact-names.ts` makes them; none is ever followed
 * out of the artifact root. Throws `artifact` when the folder cannot do what it is asked, with no path in the message.
 */
export interface ArtifactFiles {
  /** Makes the folder of staged files, durably, where it is missing. To be called before a publication is noted anywhere. */
  prepare(): Promise<void>;
  /**
   * Writes so many bytes where staged files lie and removes them, to learn whether publications can succeed now. Before
   * `prepare`, asks only whether it could succeed, and makes nothing. A store that several replicas share resolves
   * always, because one fault would take all replicas out of service at once. Throws `artifact` if it cannot be written.
   */
  probe(bytes: number): Promise<void>;
  /** Whether what `prepare` makes is missing: after the first publication this means that the root is not mounted. */
  isMissing(): Promise<boolean>;
  /** Whether anything at all has this name. */
  isTaken(name: string): Promise<boolean>;
  /** Keeps the bytes durably under an id, where no name leads to them. Throws where `isMissing`, as `publish` does. */
  stage(id: string, bytes: Buffer): Promise<void>;
  /** Gives staged bytes their name. Never replaces anything: false, and nothing changed, when the name is taken. */
  publish(id: string, name: string): Promise<boolean>;
  /** Makes the names durable, all of them, and drops what was staged. */
  settle(files: readonly PublishedFile[]): Promise<void>;
  /**
   * Removes durably what `stage` and `publish` left of this file, however far they came. A file under the name that is
   * not the staged one, or has another checksum when nothing is staged any more, is foreign and stays. Throws where
   * `isMissing`: a file that cannot be seen is not a file that was removed.
   */
  remove(file: PublishedFile): Promise<void>;
  /** Changes whenever the file is changed or replaced; undefined when there is none. Costs no reading. */
  stamp(name: string): Promise<string | undefined>;
  /** The whole file; undefined when there is no regular file of exactly `bytes` bytes. */
  read(name: string, bytes: number): Promise<FileContent | undefined>;
}
