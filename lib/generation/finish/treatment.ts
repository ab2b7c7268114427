import type { Warning } from '../../contract/reply/image-response.ts';
import type { ImageTools, MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { Credentials } from '../../provenance/credentials.ts';
import type { Change, Claim, Original } from '../../provenance/manifest-definition.ts';
import type { Verdict } from '../../provenance/manifest-report.ts';

export interface CredentialDeps {
  readonly engine: Pick<ImageTools, 'manifestBytes' | 'hasCredentialLink'>;
  readonly credentials: Pick<Credentials, 'validate' | 'validates' | 'scope' | 'maxManifestBytes'>;
}

/** An image that is ready except for its record and its credentials, and the images from which it was made. */
export interface MadeImage {
  /** The image as the provider returned it. */
  readonly given: VerifiedImage;
  /** The image to deliver. Equal to `given` if the bridge changed no pixels. */
  readonly image: VerifiedImage;
  /** The source and the mask that were composited with `given`. */
  readonly masked: MaskedSource | undefined;
  readonly isCutOut: boolean;
  /** The images of the request. */
  readonly inputs: readonly VerifiedImage[];
  readonly embedsRecord: boolean;
  readonly model: string;
  /** URL of the IPTC term for the source of the generated pixels. */
  readonly sourceType: string;
}

/** The steps after the pixels: whether the XMP may be changed, and what is signed. */
export interface Treatment {
  /** False if a record or a mark would break credentials that stay in the image. */
  readonly takesXmp: boolean;
  /** The statement to sign. Undefined if the image is not signed. */
  readonly claim: Claim | undefined;
  /** True if the image has valid credentials of the provider, and only the record changes it. */
  readonly isKeptWithoutRecord: boolean;
  readonly warnings: readonly Warning[];
}

/** The state of the credentials of an image. `present`: found, but not checked. `too_large`: found, and not read. */
type Found = Verdict | 'present' | 'too_large';

/**
 * Decides about the credentials of an image (docs/provenance.md). Never signs over credentials that are not valid, and never
 * without naming an original that has credentials.
 */
export async function treat(
  made: MadeImage,
  deps: CredentialDeps,
  signal: AbortSignal,
): Promise<Treatment> {
  const { given, image, masked } = made;
  const found = await examine(given, deps, signal);
  if (masked) return putBack(made, masked, found, deps, signal);
  if (found === 'none') {
    const isSigned = deps.credentials.scope === 'all';
    return plain([], isSigned ? await createdClaim(made, deps, signal) : undefined);
  }
  if (image === given) return kept(made, found, deps);
  const warnings = found === 'invalid' ? (['credentials_invalid'] as const) : [];
  if (!canSign(found, deps))
    return plain(['credentials_dropped', ...warnings, ...blame(found, deps)]);
  return plain([], changedClaim(made, changesOf(made)));
}

/** Treats an image whose bytes the provider has signed. Only a record changes it, and with the record a mark is written. */
function kept(made: MadeImage, found: Found, deps: CredentialDeps): Treatment {
  const invalid = found === 'invalid' ? (['credentials_invalid'] as const) : [];
  if (!made.embedsRecord) return { ...plain(invalid), takesXmp: false };
  if (canSign(found, deps)) {
    return { ...plain([], changedClaim(made, ['edited.metadata'])), isKeptWithoutRecord: true };
  }
  const warnings = ['metadata_not_embedded', ...invalid, ...blame(found, deps)] as const;
  return { ...plain(warnings), takesXmp: false };
}

/** Treats a composite, which has no credentials of its own and can lose those of its source and those of the drawn image. */
async function putBack(
  { given, model, sourceType }: MadeImage,
  { source }: MaskedSource,
  found: Found,
  deps: CredentialDeps,
  signal: AbortSignal,
): Promise<Treatment> {
  const ofSource = await examine(source, deps, signal);
  const states = [found, ofSource];
  const hasCredentials = states.some((state) => state !== 'none');
  if (!hasCredentials && deps.credentials.scope !== 'all') return plain([]);
  if (states.every((state) => state === 'none' || canSign(state, deps))) {
    return plain([], {
      ...{ kind: 'put_back', model, sourceType },
      source: toOriginal(source, ofSource),
      drawn: toOriginal(given, found),
    });
  }
  return plain([
    ...(hasCredentials ? (['credentials_dropped'] as const) : []),
    ...(states.includes('invalid') ? (['credentials_invalid'] as const) : []),
    ...states.flatMap((state) => blame(state, deps)),
  ]);
}

async function createdClaim(
  made: MadeImage,
  deps: CredentialDeps,
  signal: AbortSignal,
): Promise<Claim> {
  const { model, sourceType } = made;
  const inputs: Original[] = [];
  // One after the other, so that one output needs one place in the queue of the credential thread.
  for (const input of made.inputs) {
    const found = await examine(input, deps, signal);
    inputs.push(toOriginal(input, canSign(found, deps) ? found : 'none'));
  }
  return { kind: 'created', model, sourceType, inputs, changes: changesOf(made) };
}

function changedClaim(made: MadeImage, changes: readonly Change[]): Claim {
  const { given, model, sourceType } = made;
  return { kind: 'changed', model, sourceType, original: toOriginal(given, 'valid'), changes };
}

function changesOf({ given, image, isCutOut }: MadeImage): readonly Change[] {
  return [
    ...(isCutOut ? (['edited'] as const) : []),
    ...(given.format === image.format ? [] : (['converted'] as const)),
  ];
}

/**
 * Resolves with the state of the credentials of an image. Images are validated if the settings ask for it, and whenever the bridge
 * signs.
 */
async function examine(
  image: VerifiedImage,
  { engine, credentials }: CredentialDeps,
  signal: AbortSignal,
): Promise<Found> {
  const length = await engine.manifestBytes(image, signal);
  const isPresent = length > 0;
  if (length > credentials.maxManifestBytes) return 'too_large';
  const report = credentials.validates ? await credentials.validate(image, signal) : undefined;
  if (report === undefined) {
    if (isPresent) return 'present';
    return (await engine.hasCredentialLink(image, signal)) ? 'link' : 'none';
  }
  const { state } = report;
  // The library may not know a form of image that is valid for the bridge.
  if (state === 'unreadable' || state === 'none') return isPresent ? 'unreadable' : 'none';
  return state;
}

function canSign(found: Found, { credentials }: CredentialDeps): boolean {
  return credentials.scope !== undefined && (found === 'valid' || found === 'trusted');
}

/** Returns `signing_failed` if an image would have been signed, but its original could not be checked. */
function blame(found: Found, { credentials }: CredentialDeps): readonly Warning[] {
  return found === 'present' && credentials.scope !== undefined ? ['signing_failed'] : [];
}

function toOriginal({ bytes, format }: VerifiedImage, found: Found): Original {
  return { bytes, format, hasCredentials: found !== 'none' };
}

function plain(warnings: readonly Warning[], claim?: Claim): Treatment {
  return { takesXmp: true, claim, isKeptWithoutRecord: false, warnings };
}
