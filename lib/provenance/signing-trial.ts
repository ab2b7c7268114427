import { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedImage } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import { DAY_MS } from '../platform/days.ts';
import type { Credentials } from './credentials.ts';
import { CERTIFICATE_FILE } from './signing-files.ts';

/** The smallest PNG: one grey pixel. */
const SMALL_IMAGE: VerifiedImage = {
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
    'base64',
  ),
  format: 'png',
  width: 1,
  height: 1,
  orientation: 1,
  alpha: 'none',
  sha256: '',
};

/** A claim for an image that no model has made. */
const CLAIM = {
  kind: 'created',
  model: 'image-bridge',
  sourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia',
  inputs: [],
  changes: [],
} as const;

/** The requirements of section 14.5.1 of the C2PA specification 2.2. */
const PROFILE =
  'must contain a certificate that may sign credentials: issued by another certificate, basic constraints CA:FALSE, key usage digitalSignature, extended key usage emailProtection or documentSigning';

/** A certificate that ends in fewer days is a warning. */
export const FEW_DAYS = 30;

/**
 * Signs a small image and validates the result. Resolves with the number of days until the first certificate expires, or with
 * undefined if the bridge signs no images. Throws `configuration` if the certificates or the key cannot sign.
 */
export async function tryOutSigning(
  credentials: Pick<Credentials, 'sign' | 'validate' | 'validUntilMs'>,
  clock: Pick<Clock, 'nowMs'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const validUntilMs = credentials.validUntilMs();
  if (validUntilMs === undefined) return undefined;
  const signing = await credentials.sign(SMALL_IMAGE, CLAIM, signal);
  if (!signing.ok && signing.failure !== 'refused') {
    const message = `provenance.signing: a small image could not be signed (${signing.failure})`;
    throw new BridgeError('configuration', message);
  }
  const report = signing.ok ? await credentials.validate(signing.image, signal) : undefined;
  if (report?.state !== 'valid' && report?.state !== 'trusted') {
    throw new BridgeError('configuration', `${CERTIFICATE_FILE}: ${PROFILE}`);
  }
  return Math.floor((validUntilMs - clock.nowMs()) / DAY_MS);
}
