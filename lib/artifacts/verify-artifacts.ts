import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine, ImageFault } from '../images/image.ts';
import type { ArtifactFiles, PublishedFile } from './artifact-files-port.ts';
import type { ArtifactPosition, ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { publishedFiles, sha256Of } from './published-files.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'listByAge' | 'find'>;
  readonly files: Pick<ArtifactFiles, 'read' | 'findTaken'>;
  readonly engine: Pick<ImageEngine, 'inspect'>;
}

/** A file that differs from the published file. */
export interface ArtifactProblem {
  readonly id: string;
  /** Name of the image or the sidecar, relative to the artifact root. */
  readonly name: string;
  /**
   * Kind of problem. `resized`: the name belongs to a file of another length or kind. `changed`: the checksum differs.
   * `undecodable`: the published bytes are not a valid image. `misdescribed`: the format or the dimensions differ from those in
   * the row.
   */
  readonly problem:
    | 'missing'
    | 'unreadable'
    | 'resized'
    | 'changed'
    | 'undecodable'
    | 'misdescribed';
  readonly fault?: ImageFault;
}

export interface VerifiedCounts {
  readonly artifacts: number;
  readonly sidecars: number;
  /** Total length of the images according to their rows. */
  readonly bytes: number;
  readonly problems: number;
}

type Finding = Pick<ArtifactProblem, 'problem' | 'fault'> | undefined;

// The number of files in memory at a time: twice the number of images that the engine decodes at once.
const BATCH = 4;

/**
 * Reads every artifact of every scope and its sidecar, oldest first, with the same checks as a delivery. Changes nothing. Each
 * problem is reported as soon as it is found. An artifact that is removed meanwhile is not a problem. Throws any error of the
 * store. Rejects with the reason of the signal on abort.
 */
export async function verifyArtifacts(
  deps: Deps,
  onProblem: (problem: ArtifactProblem) => void,
  signal: AbortSignal,
): Promise<VerifiedCounts> {
  const counts = { artifacts: 0, sidecars: 0, bytes: 0, problems: 0 };
  let after: ArtifactPosition | undefined;
  for (;;) {
    const page = { untilSecs: Number.MAX_SAFE_INTEGER, after, limit: BATCH };
    const batch = await deps.store.listByAge(page);
    after = batch.at(-1);
    if (after === undefined) return counts;
    const found = await Promise.all(batch.map((record) => problemsOf(record, deps, signal)));
    for (const problem of found.flat()) onProblem(problem);
    counts.artifacts += batch.length;
    counts.sidecars += batch.filter(({ sidecar }) => sidecar !== undefined).length;
    counts.bytes += batch.reduce((sum, { bytes }) => sum + bytes, 0);
    counts.problems += found.flat().length;
  }
}

async function problemsOf(
  record: ArtifactRecord,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly ArtifactProblem[]> {
  const { id, scope } = record;
  const problems: ArtifactProblem[] = [];
  for (const file of publishedFiles(record)) {
    const found = await check(file, deps, (bytes) =>
      file.name === record.name
        ? checkImage(bytes, record, deps, signal)
        : compareChecksum(bytes, file),
    );
    if (found) problems.push({ id, name: file.name, ...found });
  }
  // Retention may have removed the artifact since the row was read.
  const isThere = problems.length === 0 || (await deps.store.find(scope, id)) !== undefined;
  return isThere ? problems : [];
}

async function check(
  { name, bytes }: PublishedFile,
  { files }: Deps,
  checkContent: (bytes: Buffer) => Promise<Finding> | Finding,
): Promise<Finding> {
  try {
    const content = await files.read(name, bytes);
    if (content !== undefined) return await checkContent(content.bytes);
    return { problem: (await files.findTaken([name])).has(name) ? 'resized' : 'missing' };
  } catch (error) {
    // Access to the folder is denied, or the stored name is invalid. Any other error does not concern this file.
    if (error instanceof BridgeError && error.code === 'artifact') return { problem: 'unreadable' };
    throw error;
  }
}

async function checkImage(
  bytes: Buffer,
  { sha256, format, width, height }: ArtifactRecord,
  { engine }: Deps,
  signal: AbortSignal,
): Promise<Finding> {
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) {
    const { fault } = inspection;
    return compareChecksum(bytes, { sha256 }) ?? { problem: 'undecodable', fault };
  }
  const { image } = inspection;
  if (image.sha256 !== sha256) return { problem: 'changed' };
  const isAsDescribed = image.format === format && image.width === width && image.height === height;
  return isAsDescribed ? undefined : { problem: 'misdescribed' };
}

function compareChecksum(bytes: Buffer, { sha256 }: Pick<PublishedFile, 'sha256'>): Finding {
  return sha256Of(bytes) === sha256 ? undefined : { problem: 'changed' };
}
