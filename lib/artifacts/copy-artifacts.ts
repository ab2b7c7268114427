import { BridgeError } from '../errors/bridge-error.ts';
import { runForEach } from '../platform/concurrent-work.ts';
import { createOnce } from '../platform/once.ts';
import type { ArtifactFiles, PublishedFile } from './artifact-files-port.ts';
import type {
  ArtifactPosition,
  ArtifactRecord,
  ArtifactStore,
  IntentPage,
} from './artifact-store-port.ts';
import { publishedFiles, sha256Of } from './published-files.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'listByAge'>;
  /** Publications and removals that have not ended. Their files may be incomplete. */
  readonly listIntents: (page: IntentPage) => Promise<readonly ArtifactRecord[]>;
  readonly source: Pick<ArtifactFiles, 'read'>;
  readonly target: Omit<ArtifactFiles, 'probe' | 'stamp' | 'findTaken'>;
}

/** A file that is missing in the source or differs from its record. The file was not copied. */
interface UncopiedFile {
  readonly id: string;
  readonly name: string;
}

/** Receives the results while files are copied. */
interface CopyReport {
  readonly onFiles: (count: number) => void;
  readonly onProblem: (file: UncopiedFile) => void;
}

// The number of files that are copied at the same time. Their bytes are in memory.
const CONCURRENT = 8;
const PAGE = 100;

/** A file to copy. */
interface ListedFile {
  readonly file: PublishedFile;
  /** True if the publication or the removal of the file has not ended, so that the file may be incomplete. */
  readonly isOpen: boolean;
}

/**
 * Copies the files of all artifacts of the store, and reads each copy again to compare its checksum. Files that an earlier call
 * has copied are only compared. Throws `artifact` if another file has a name, or if the target returns other bytes.
 */
export async function copyArtifacts(
  { source, target, ...lists }: Deps,
  { onFiles, onProblem }: CopyReport,
  signal: AbortSignal,
): Promise<void> {
  // In a new target, no file needs to be looked for.
  const isNew = await target.isMissing();
  const preparation = createOnce(() => target.prepare());

  await runForEach(listFiles(lists), { limit: CONCURRENT, signal }, async ({ file, isOpen }) => {
    await preparation.get();
    const content = (await source.read(file.name, file.bytes))?.bytes;
    if (content !== undefined && sha256Of(content) === file.sha256) {
      await copyFile(file, content, { target, isNew });
    } else if (!isOpen) {
      onProblem(file);
    }
    onFiles(1);
  });
}

/** Lists the files of all artifacts, and then the files whose publication or removal has not ended. */
async function* listFiles({
  store,
  listIntents,
}: Pick<Deps, 'store' | 'listIntents'>): AsyncGenerator<ListedFile> {
  for (let after: ArtifactPosition | undefined; ; ) {
    const page = await store.listByAge({
      untilSecs: Number.MAX_SAFE_INTEGER,
      after,
      limit: PAGE,
    });
    after = page.at(-1);
    if (after === undefined) break;
    for (const file of page.flatMap(publishedFiles)) yield { file, isOpen: false };
  }
  // The next start of a bridge ends these publications, as it does after a crash.
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await listIntents({ after, limit: PAGE });
    for (const file of page.flatMap(publishedFiles)) yield { file, isOpen: true };
    after = page.at(-1)?.id;
  }
}

async function copyFile(
  file: PublishedFile,
  content: Buffer,
  { target, isNew }: Pick<Deps, 'target'> & { readonly isNew: boolean },
): Promise<void> {
  const isCopied = async () => {
    const copy = await target.read(file.name, file.bytes);
    return copy !== undefined && sha256Of(copy.bytes) === file.sha256;
  };
  if (!isNew) {
    if (await isCopied()) return;
    // An interrupted copy may have left an incomplete file.
    await target.remove(file);
  }
  await target.stage(file.id, content);
  const isPublished = await target.publish(file.id, file.name);
  await target.settle([file]);
  if (await isCopied()) return;
  const problem = isPublished
    ? 'the target returns different bytes for'
    : 'another file has the name of';
  throw new BridgeError('artifact', `${problem} the artifact ${file.name}`);
}
