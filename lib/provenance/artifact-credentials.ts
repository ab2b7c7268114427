import type { Provenance } from '../contract/reply/provenance.ts';
import type { ArtifactCredentials } from '../contract/resources/artifact-credentials.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedImage } from '../images/image.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import { type ExaminationDeps, examine } from './examine.ts';

interface Deps extends ExaminationDeps {
  readonly artifacts: {
    open(scope: string, id: string, signal: AbortSignal): Promise<OpenedImage>;
  };
}

interface OpenedImage extends Pick<VerifiedImage, 'bytes'> {
  readonly record: Pick<VerifiedImage, 'format'> & {
    readonly provenance?: Provenance | undefined;
  };
}

const MAX_WAITING = 16;

export type ArtifactCredentialReports = ReturnType<typeof createArtifactCredentials>;

/** Creates the function that checks the credentials of artifacts. */
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
  };
}
