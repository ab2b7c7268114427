import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { type CredentialDeps, treat } from '../../../../lib/generation/finish/treatment.ts';
import type { VerifiedImage } from '../../../../lib/images/image.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { slices } from '../../../support/slices.ts';
import { insertAfterHeader } from '../../images/container/png-bytes.ts';
import { pngXmp } from '../../images/fifty-images.ts';

const LIMITS = {
  ...{ max_encoded_bytes: 10_000_000, max_edge: 8192, max_pixels: 67_108_864 },
  max_decode_ms: 10_000,
};
const LINK = `<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/"
  dcterms:provenance="https://credentials.example/manifest"/>
</rdf:RDF>
</x:xmpmeta>`;

const { signal } = new AbortController();
const engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
afterAll(() => engine.close());

/** The settings without validation and without a certificate. */
const deps: CredentialDeps = {
  engine,
  credentials: {
    validate: async () => undefined,
    ...{ validates: false, scope: undefined, maxManifestBytes: 4_194_304 },
  },
};

async function linkedImage(format: OutputFormat): Promise<VerifiedImage> {
  const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: '#808080' } });
  const bytes =
    format === 'png'
      ? // The image library compresses the packet of a PNG, and compressed packets are not read.
        insertAfterHeader(await plain.png().toBuffer(), pngXmp(LINK))
      : await plain.withXmp(LINK).toFormat(format).toBuffer();
  const found = await engine.inspect(bytes, signal);
  if (!found.ok) throw new Error(found.fault);
  return found.image;
}

function treated(given: VerifiedImage, image: VerifiedImage, embedsRecord: boolean) {
  const facts = { masked: undefined, isCutOut: false, inputs: [], model: 'm', sourceType: 's' };
  return treat({ given, image, embedsRecord, ...facts }, deps, signal);
}

describe('treat, without validation', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'embeds no record into a %s that names credentials on a server',
    async (format) => {
      const image = await linkedImage(format);

      expect(await treated(image, image, true)).toMatchObject({
        takesXmp: false,
        warnings: ['metadata_not_embedded'],
      });
      expect(await treated(image, image, false)).toMatchObject({ takesXmp: false, warnings: [] });
    },
  );

  it('names the loss of credentials on a server', async () => {
    const [given, converted] = [await linkedImage('png'), await linkedImage('webp')];

    expect(await treated(given, converted, false)).toMatchObject({
      claim: undefined,
      warnings: ['credentials_dropped'],
    });
  });
});
