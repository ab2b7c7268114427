import { createHash } from 'node:crypto';
import type { ArtifactFiles, PublishedFile } from '../../lib/artifacts/artifact-files-port.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { StoredInputFiles } from '../../lib/inputs/stored-inputs-port.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { splitName } from '../../lib/storage/artifact-path.ts';
import { currentPeriod, isOver } from '../../lib/storage/storing-period.ts';

/** Files in memory, which stay when the simulated process ends. */
export interface MemoryDisk {
  readonly artifactFiles: ArtifactFiles;
  /** The stored images of a bridge that shares them with nobody. */
  readonly storedInputs: StoredInputFiles;
  /** Returns the stored images for one of several replicas, by the clock of its machine. */
  shareInputs(clock: Pick<Clock, 'nowMs'>): StoredInputFiles;
  /** Replaces a file of an artifact by a foreign file. */
  putForeign(name: string, bytes: Buffer): void;
  /** Replaces the file of a stored image. */
  damageInput(sha256: string, bytes: Buffer): void;
  /** Returns the names of all files of artifacts. Files without a name are listed by the id under which they are staged. */
  list(): { readonly names: readonly string[]; readonly staged: readonly string[] };
  /** Returns the checksums of all stored images. */
  listInputs(): readonly string[];
}

interface StoredFile {
  readonly bytes: Buffer;
  /** Undefined for a foreign file. */
  readonly id: string | undefined;
  readonly version: number;
  /** The period in which a shared image was stored last. */
  readonly period?: number;
}

const SHA256 = /^[0-9a-f]{64}$/;

export function createMemoryDisk(): MemoryDisk {
  const staged = new Map<string, Buffer>();
  const names = new Map<string, StoredFile>();
  const inputs = new Map<string, StoredFile>();
  let isPrepared = false;
  let versions = 0;

  const newFile = (bytes: Buffer, id?: string): StoredFile => {
    versions += 1;
    return { bytes, id, version: versions };
  };
  const stampOf = (file: StoredFile | undefined) => file && `version ${file.version}`;

  function refuseMissing(): void {
    if (!isPrepared) {
      throw new BridgeError('artifact', 'the artifact folder is missing', {
        details: { reason: 'artifact_folder_unusable' },
      });
    }
  }

  function isTaken(name: string): boolean {
    return names.has(name) || [...names.keys()].some((other) => other.startsWith(`${name}/`));
  }

  function isOurs({ id, bytes, sha256 }: PublishedFile, { id: foundId, bytes: found }: StoredFile) {
    if (staged.has(id)) return foundId === id;
    return found.length === bytes && sha256Of(found) === sha256;
  }

  const artifactFiles: ArtifactFiles = {
    isShared: false,
    missingMessage: 'the artifact folder is missing',
    async prepare() {
      isPrepared = true;
    },
    async probe() {},
    isMissing: async () => !isPrepared,
    findTaken: async (wanted) => new Set(wanted.filter(isTaken)),
    async stage(id, ...parts) {
      refuseMissing();
      if (staged.has(id)) throw new BridgeError('artifact', 'the staged file exists');
      staged.set(id, Buffer.concat(parts));
    },
    async publish(id, name) {
      refuseMissing();
      splitName(name);
      const bytes = staged.get(id);
      if (bytes === undefined) throw new BridgeError('artifact', 'the staged file is missing');
      if (isTaken(name)) return false;
      names.set(name, newFile(bytes, id));
      return true;
    },
    async settle(files) {
      for (const { id } of files) staged.delete(id);
    },
    async remove(file) {
      refuseMissing();
      const found = names.get(file.name);
      if (found && isOurs(file, found)) names.delete(file.name);
      staged.delete(file.id);
    },
    async stamp(name) {
      splitName(name);
      return stampOf(names.get(name));
    },
    async read(name, bytes) {
      splitName(name);
      const found = names.get(name);
      return found?.bytes.length === bytes
        ? { bytes: found.bytes, stamp: stampOf(found) }
        : undefined;
    },
  };

  const storedInputs: StoredInputFiles = {
    isShared: false,
    async put(sha256, bytes) {
      refuseBadChecksum(sha256);
      const found = inputs.get(sha256);
      if (!found || sha256Of(found.bytes) !== sha256) inputs.set(sha256, newFile(bytes));
    },
    async read(sha256, byteLength) {
      refuseBadChecksum(sha256);
      const bytes = inputs.get(sha256)?.bytes;
      return bytes?.length === byteLength && sha256Of(bytes) === sha256 ? bytes : undefined;
    },
    async readWhole(sha256, byteLength) {
      const found = inputs.get(sha256);
      return found?.bytes.length === byteLength
        ? { bytes: found.bytes, stamp: stampOf(found) }
        : undefined;
    },
    stamp: async (sha256) => stampOf(inputs.get(sha256)),
    async remove(sha256, isNeeded) {
      refuseBadChecksum(sha256);
      if (inputs.has(sha256) && !(await isNeeded())) inputs.delete(sha256);
    },
    async *list() {
      const all = [...inputs.keys()];
      if (all.length > 0) yield all;
    },
  };

  /** Keeps the images of the last two periods, on which another replica may rely. */
  const shareInputs = (clock: Pick<Clock, 'nowMs'>): StoredInputFiles => ({
    ...storedInputs,
    isShared: true,
    async put(sha256, bytes) {
      refuseBadChecksum(sha256);
      const found = inputs.get(sha256);
      const period = Math.max(currentPeriod(clock), found?.period ?? 0);
      const isSame = found !== undefined && sha256Of(found.bytes) === sha256;
      if (!isSame || found.period !== period) inputs.set(sha256, { ...newFile(bytes), period });
    },
    async remove(sha256, isNeeded) {
      refuseBadChecksum(sha256);
      const found = inputs.get(sha256);
      if (!found || !isOver(found.period ?? 0, currentPeriod(clock))) return;
      if (!(await isNeeded()) && inputs.get(sha256) === found) inputs.delete(sha256);
    },
  });

  return {
    artifactFiles,
    storedInputs,
    shareInputs,
    putForeign: (name, bytes) => {
      isPrepared = true;
      names.set(name, newFile(bytes));
    },
    damageInput: (sha256, bytes) => void inputs.set(sha256, newFile(bytes)),
    list: () => ({ names: [...names.keys()], staged: [...staged.keys()] }),
    listInputs: () => [...inputs.keys()],
  };
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuseBadChecksum(sha256: string): void {
  if (!SHA256.test(sha256)) throw new Error('the name of a stored image is not a checksum');
}
