import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provenance } from '../../../lib/contract/reply/provenance.ts';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { insertAfterSoi } from '../../lib/images/container/jpeg-bytes.ts';
import { insertAfterHeader } from '../../lib/images/container/png-bytes.ts';
import { jpegXmp, pngXmp } from '../../lib/images/fifty-images.ts';
import { fromPixels, textured } from '../../lib/images/sample-images.ts';
import { trialCertificates, writeCertificates } from '../../support/provenance/certificates.ts';
import { FORMATS, sampleImage } from '../../support/provenance/signed-images.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';
import { startImageService } from './image-service.ts';

const BRIDGES = [
  'a bridge that only detects',
  'a bridge that checks',
  'a bridge that signs',
] as const;

const bridges = new Map<string, StartedBridge>();
const images = new Map<OutputFormat, Buffer>();
let service: Awaited<ReturnType<typeof startImageService>>;
let elsewhere: Server;
let connections = 0;
let folder = '';
let given: Buffer;

beforeAll(async () => {
  elsewhere = createServer((_, reply) => void reply.end()).listen(0, '127.0.0.1');
  elsewhere.on('connection', () => {
    connections += 1;
  });
  await once(elsewhere, 'listening');
  const address = elsewhere.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const packet = toPacket(`http://127.0.0.1:${address.port}/manifest.c2pa`);
  images.set('png', insertAfterHeader(await sampleImage('png'), pngXmp(packet)));
  images.set('jpeg', insertAfterSoi(await sampleImage('jpeg'), jpegXmp(packet)));
  images.set('webp', await fromPixels(textured(48, 48)).webp().withXmp(packet).toBuffer());

  service = await startImageService(() => given);
  folder = await mkdtemp(join(tmpdir(), 'linked-'));
  const files = await writeCertificates(folder, trialCertificates());
  const settings: Record<(typeof BRIDGES)[number], readonly string[]> = {
    'a bridge that only detects': [],
    'a bridge that checks': ['provenance.check=validate'],
    'a bridge that signs': [
      `provenance.signing.certificate_file=${files.certificate_file}`,
      `provenance.signing.key_file=${files.key_file}`,
      'provenance.signing.scope=all',
    ],
  };
  for (const name of BRIDGES) {
    const set = [...service.set, ...settings[name]];
    bridges.set(name, await startBridge({ command: 'serve', env: service.env, set }));
  }
});
afterAll(async () => {
  await cleanUp();
  service.close();
  elsewhere.close();
  await rm(folder, { recursive: true });
});

/** Returns XMP with a link to credentials on a server. */
function toPacket(link: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="${link}"/></rdf:RDF></x:xmpmeta>`;
}

async function generate(bridge: string, format: OutputFormat, more: object = {}) {
  const reply = await fetch(`${bridges.get(bridge)?.address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a fox', parameters: { output_format: format }, ...more }),
  });
  const body = (await reply.json()) as {
    readonly data: readonly { readonly b64_json: string; readonly provenance: Provenance }[];
    readonly warnings: readonly string[];
  };
  const [image] = body.data ?? [];
  if (image === undefined) expect.fail(`HTTP ${reply.status}`);
  const { warnings } = body;
  return {
    bytes: Buffer.from(image.b64_json, 'base64'),
    provenance: image.provenance,
    warnings,
  };
}

describe.each(BRIDGES)('an image whose credentials are on another server, at %s', (bridge) => {
  it.each(FORMATS)('has the bytes of the provider as a %s, and the fact link', async (format) => {
    given = images.get(format) ?? expect.fail('no image');

    const { bytes, provenance, warnings } = await generate(bridge, format);

    expect(bytes.equals(given)).toBe(true);
    expect(provenance).toEqual({ found: 'link', credentials: 'kept', mark: 'none' });
    expect(warnings).toEqual([]);
    expect(connections).toBe(0);
  });

  it.each(FORMATS)('keeps its bytes as a %s if a record is to be embedded', async (format) => {
    given = images.get(format) ?? expect.fail('no image');

    const { bytes, provenance, warnings } = await generate(bridge, format, {
      output: { metadata: 'embedded' },
    });

    expect(bytes.equals(given)).toBe(true);
    expect(provenance).toEqual({ found: 'link', credentials: 'kept', mark: 'none' });
    expect(warnings).toEqual(['metadata_not_embedded']);
    expect(connections).toBe(0);
  });

  it('loses the link by name in a conversion, and the link is not fetched', async () => {
    given = images.get('png') ?? expect.fail('no image');

    const { bytes, provenance, warnings } = await generate(bridge, 'webp', {
      routing: { model: 'png-only' },
      policies: { compatibility: 'normalize' },
    });

    expect(bytes.includes('dcterms')).toBe(false);
    expect(provenance).toMatchObject({
      found: 'link',
      credentials: 'dropped',
      reason: 'converted',
      mark: 'written',
    });
    expect(warnings).toContain('credentials_dropped');
    expect(connections).toBe(0);
  });
});
