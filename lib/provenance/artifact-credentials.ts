import type { Provenance } from '../contract/reply/provenance.ts';
import type { ArtifactCredentials } from '../contract/resources/artifact-credentials.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageTools, VerifiedImage } from '../images/image.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import { type ExaminationDeps, examine } from './examine.ts';

interface Deps extends ExaminationDeps {
  readonly engine: ExaminationDeps['engine'] & Pick<ImageTools, 'manifestStore'>;
  readonly artifacts: {
    open(scope: string, id: string, signal: AbortSignal): Promise<OpenedImage>;
  };
}

interface OpenedImage extends Pick<VerifiedImage, 'bytes'> {
  readonly record: Pick<VerifiedImage, 'format'> & {
    readonly name: string;
    readonly provenance?: Provenance | undefined;
  };
}

interface SavedManifest {
  /** Name of the artifact below the artifact root. */
  readonly name: string;
  readonly store: Buffer;
}

const MAX_WAITING = 16;

export type ArtifactCredentialReports = ReturnType<typeof createArtifactCredentials>;

/** Creates the functions that check the credentials of artifacts, and return their manifests. */
export function createArtifactCredentials({ artifacts, ...deps }: Deps) {
  // One at a time, so that these checks never fill the queue in which new images wait to be signed.
  const turns = createSemaphore(1);
  return {
    /**
     * Checks the credentials of an artifact. Throws `overloaded` if too many checks wait, and the errors of `ArtifactDelivery.open`.
     * Rejects with the reason of the signal on abort.
     */
    async report(scope: string, id: string, signal: AbortSignal): Promise<ArtifactCredentials> {
      if (turns.counts().waiting >= MAX_WAITING) {
        throw new BridgeError('overloaded', 'too many checks of credentials are waiting');
      }
      return turns.run(async () => {
        const { record, bytes } = await artifacts.open(scope, id, signal);
        const { format, provenance } = record;
        const { found, manifest } = await examine({ bytes, format }, deps, true, signal);
        return {
          ...(provenance && { provenance }),
          state: found,
          ...(manifest && { manifest }),
        };
      }, signal);
    },

    /**
     * Resolves with the manifest store of an artifact as it is in the file, not checked, and with the name of the artifact. Throws
     * `not_found` if the artifact has no manifest or several manifest stores, and the errors of `ArtifactDelivery.open`.
     */
    async manifest(scope: string, id: string, signal: AbortSignal): Promise<SavedManifest> {
      const { record, bytes } = await artifacts.open(scope, id, signal);
      const { format, name } = record;
      const store = await deps.engine.manifestStore({ bytes, format }, signal);
      if (store === undefined) {
        throw new BridgeError('not_found', 'the artifact has no manifest that can be saved');
      }
      return { name, store };
    },
  };
}
