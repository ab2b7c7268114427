import type { Warning } from '../../contract/reply/image-response.ts';
import type { Found, LossReason, Provenance } from '../../contract/reply/provenance.ts';
import type { CheckedImage, MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { Credentials } from '../../provenance/credentials.ts';
import { type Examination, type ExaminationDeps, examine } from '../../provenance/examine.ts';
import type { Change, Claim, Original } from '../../provenance/manifest-definition.ts';

export interface CredentialDeps extends ExaminationDeps {
  readonly credentials: ExaminationDeps['credentials'] & Pick<Credentials, 'validates' | 'scope'>;
}

/** The facts about the credentials of an image that is delivered. */
export type CredentialFacts = Pick<Provenance, 'found' | 'signer' | 'credentials' | 'reason'>;

/** An image that is ready except for its record and its credentials, and the images from which it was made. */
export interface MadeImage {
  /** The image as the provider returned it. */
  readonly given: CheckedImage;
  /** The image to deliver. Equal to `given` if the bridge changed no pixels. */
  readonly image: CheckedImage;
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
  /** The facts about the image if everything succeeds. */
  readonly facts: CredentialFacts;
  readonly warnings: readonly Warning[];
}

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
  const original = await examined(given, deps, signal);
  if (masked) return composited(made, masked, original, deps, signal);
  const { found } = original;
  if (found === 'none') {
    if (deps.credentials.scope !== 'all') return plain({ found, credentials: 'none' }, []);
    const claim = await createdClaim(made, deps, signal);
    return plain({ found, credentials: 'signed' }, [], claim);
  }
  if (image === given) return kept(made, original, deps);
  const known = knownFacts(original);
  if (canSign(found, deps)) {
    return plain({ ...known, credentials: 'resigned' }, [], changedClaim(made, changesOf(made)));
  }
  const invalid = found === 'invalid' ? (['credentials_invalid'] as const) : [];
  return plain({ ...known, credentials: 'dropped', reason: lossOf(found, made, deps) }, [
    ...(['credentials_dropped', ...invalid] as const),
    ...blame(found, deps),
  ]);
}

/**
 * Returns the facts about an image that could not be signed. If only the record would have changed the image, the record is omitted
 * and the image keeps the credentials of the provider. Otherwise the image has no credentials.
 */
export function factsUnsigned({ isKeptWithoutRecord, facts }: Treatment): CredentialFacts {
  const { credentials: _, reason: __, ...known } = facts;
  if (isKeptWithoutRecord) return { ...known, credentials: 'kept' };
  return known.found === 'none'
    ? { ...known, credentials: 'none' }
    : { ...known, credentials: 'dropped', reason: 'signing_failed' };
}

/**
 * Treats an image that has credentials and whose pixels are unchanged. Only an embedded record changes the image. A mark is written
 * with the record.
 */
function kept(made: MadeImage, original: Examination, deps: CredentialDeps): Treatment {
  const { found } = original;
  const known = knownFacts(original);
  const invalid = found === 'invalid' ? (['credentials_invalid'] as const) : [];
  const keeps = { ...known, credentials: 'kept' } as const;
  if (!made.embedsRecord) return { ...plain(keeps, invalid), takesXmp: false };
  if (canSign(found, deps)) {
    const claim = changedClaim(made, ['edited.metadata']);
    return {
      ...plain({ ...known, credentials: 'resigned' }, [], claim),
      isKeptWithoutRecord: true,
    };
  }
  const warnings = ['metadata_not_embedded', ...invalid, ...blame(found, deps)] as const;
  return { ...plain(keeps, warnings), takesXmp: false };
}

/** Treats a composite. A composite has no credentials, and can lose the credentials of its source and of the drawn image. */
async function composited(
  made: MadeImage,
  { source }: MaskedSource,
  drawn: Examination,
  deps: CredentialDeps,
  signal: AbortSignal,
): Promise<Treatment> {
  const { given, model, sourceType } = made;
  const ofSource = await examined(source, deps, signal);
  const states = [drawn.found, ofSource.found];
  const known = knownFacts(drawn.found === 'none' ? ofSource : drawn);
  const hasCredentials = known.found !== 'none';
  if (!hasCredentials && deps.credentials.scope !== 'all') {
    return plain({ ...known, credentials: 'none' }, []);
  }
  const obstacle = states.find((state) => state !== 'none' && !canSign(state, deps));
  if (obstacle === undefined) {
    return plain({ ...known, credentials: hasCredentials ? 'resigned' : 'signed' }, [], {
      kind: 'put_back',
      model,
      sourceType,
      source: toOriginal(source, ofSource.found),
      drawn: toOriginal(given, drawn.found),
    });
  }
  return plain({ ...known, credentials: 'dropped', reason: lossOf(obstacle, made, deps) }, [
    'credentials_dropped',
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
    const { found } = await examined(input, deps, signal);
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

/** Examines an image. Images are validated if the settings ask for it, and whenever the bridge signs. */
function examined(
  image: CheckedImage,
  deps: CredentialDeps,
  signal: AbortSignal,
): Promise<Examination> {
  return examine(image, deps, deps.credentials.validates, signal);
}

function knownFacts({ found, manifest }: Examination): Pick<Provenance, 'found' | 'signer'> {
  return { found, ...(manifest?.signer === undefined ? {} : { signer: manifest.signer }) };
}

function canSign(found: Found, { credentials }: CredentialDeps): boolean {
  return credentials.scope !== undefined && (found === 'valid' || found === 'trusted');
}

/**
 * Returns the reason why credentials are lost. If the bridge signs, credentials in the image that prevent the signature are the
 * reason: their state, or `signing_failed` if they could not be checked. Otherwise the reason is the step that changed the image.
 */
function lossOf(
  found: Found,
  { masked, isCutOut }: MadeImage,
  { credentials }: CredentialDeps,
): LossReason {
  if (credentials.scope !== undefined) {
    if (found === 'invalid' || found === 'unreadable' || found === 'too_large') return found;
    if (found === 'present') return 'signing_failed';
  }
  if (masked) return 'put_back';
  return isCutOut ? 'cut_out' : 'converted';
}

/** Returns `signing_failed` if an image would have been signed, but its original could not be checked. */
function blame(found: Found, { credentials }: CredentialDeps): readonly Warning[] {
  return found === 'present' && credentials.scope !== undefined ? ['signing_failed'] : [];
}

function toOriginal({ bytes, format }: CheckedImage, found: Found): Original {
  return { bytes, format, hasCredentials: found !== 'none' };
}

function plain(facts: CredentialFacts, warnings: readonly Warning[], claim?: Claim): Treatment {
  return { takesXmp: true, claim, isKeptWithoutRecord: false, facts, warnings };
}
