import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import type { SigningKey } from '../../../lib/provenance/cose-signature.ts';
import { createCredentialThread } from '../../../lib/provenance/credential-thread.ts';
import { type Claim, toManifestDefinition } from '../../../lib/provenance/manifest-definition.ts';
import { fromPixels, textured } from '../../lib/images/sample-images.ts';
import type { TrialCertificates } from './certificates.ts';

const { signal } = new AbortController();

export const FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp'];

/** The source type of the claims in tests. */
export const GENERATED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** The claim of a provider: its model generated the image. */
export const CREATED: Claim = {
  kind: 'created',
  model: 'model-of-tests',
  sourceType: GENERATED,
  inputs: [],
  changes: [],
};

/** Encodes a small textured image. */
export function sampleImage(format: OutputFormat, edge = 48): Promise<Buffer> {
  return fromPixels(textured(edge, edge)).toFormat(format).toBuffer();
}

export function toSigningKey({ kind, chain, key }: TrialCertificates): SigningKey {
  const certificates = chain.split(/(?<=-----END CERTIFICATE-----\n)/).filter(Boolean);
  return {
    algorithm: kind,
    key: createPrivateKey(key),
    certificates: certificates.map((pem) => new X509Certificate(pem).raw),
  };
}

/** Signs images as a provider does, with certificates that the bridge does not know. Call `close` at the end. */
export function createProviderSigner(certificates: TrialCertificates) {
  const thread = createCredentialThread({
    clock: systemClock,
    timeoutMs: 30_000,
    trustAnchors: () => undefined,
  });
  const key = toSigningKey(certificates);
  return {
    async sign(bytes: Buffer, format: OutputFormat, claim: Claim = CREATED): Promise<Buffer> {
      const software = { name: 'provider-of-tests', version: '1.0' };
      const manifest = toManifestDefinition(claim, software, randomUUID);
      const task = { kind: 'sign', image: { bytes, format }, ...manifest, key } as const;
      const outcome = await thread.run(task, signal);
      if (!outcome.ok || outcome.result === undefined) throw new Error('the image was not signed');
      return Buffer.from(outcome.result);
    },
    close: thread.close,
  };
}
