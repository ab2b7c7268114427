import type { Found } from '../contract/reply/provenance.ts';
import type { ManifestReport } from '../contract/resources/artifact-credentials.ts';
import type { ImageTools, VerifiedImage } from '../images/image.ts';
import type { Credentials } from './credentials.ts';

export interface ExaminationDeps {
  readonly engine: Pick<ImageTools, 'manifestBytes' | 'hasCredentialLink'>;
  readonly credentials: Pick<Credentials, 'validate' | 'maxManifestBytes'>;
}

/** The credentials of an image. `manifest` is the active manifest, undefined unless it was checked and can be read. */
export interface Examination {
  readonly found: Found;
  readonly manifest?: ManifestReport;
}

/**
 * Finds the credentials of an image. If `isChecked` is true, the credentials are validated, and are `present` only if the
 * validation failed.
 */
export async function examine(
  image: Pick<VerifiedImage, 'bytes' | 'format'>,
  { engine, credentials }: ExaminationDeps,
  isChecked: boolean,
  signal: AbortSignal,
): Promise<Examination> {
  const length = await engine.manifestBytes(image, signal);
  const isPresent = length > 0;
  if (length > credentials.maxManifestBytes) return { found: 'too_large' };
  const report = isChecked ? await credentials.validate(image, signal) : undefined;
  if (report === undefined) {
    if (isPresent) return { found: 'present' };
    return { found: (await engine.hasCredentialLink(image, signal)) ? 'link' : 'none' };
  }
  const { state, manifest } = report;
  // The library may not know a form of image that is valid for the bridge.
  if (state === 'unreadable' || state === 'none')
    return { found: isPresent ? 'unreadable' : 'none' };
  return { found: state, ...(manifest && { manifest }) };
}
