import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createCredentialThread } from '../../../lib/provenance/credential-thread.ts';
import { trialCertificates } from '../../support/provenance/certificates.ts';
import { hostileImages } from '../../support/provenance/hostile-manifests.ts';
import { C2PA_PYTHON, startOutsideVerifier } from '../../support/provenance/outside-verifier.ts';
import {
  createProviderSigner,
  FORMATS,
  sampleImage,
} from '../../support/provenance/signed-images.ts';
import { createSeeded } from '../../support/seeded.ts';
import { insertAfterSoi, segment } from '../images/container/jpeg-bytes.ts';

const MUTATIONS = Number(process.env['MANIFEST_MUTATIONS'] ?? 90);

const { signal } = new AbortController();
const provider = createProviderSigner(trialCertificates());
const outside = C2PA_PYTHON === undefined ? undefined : startOutsideVerifier();
const thread = createCredentialThread({
  clock: systemClock,
  timeoutMs: 30_000,
  trustAnchors: () => undefined,
});
let folder = '';
let signed: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  signed = await provider.sign(await sampleImage('png'), 'png');
});
afterAll(async () => {
  await provider.close();
  await thread.close();
  await outside?.close();
  await rm(folder, { recursive: true });
});

/** Returns the state, or the reason why the thread has no result. */
async function stateOf(bytes: Buffer, format: OutputFormat): Promise<string> {
  const outcome = await thread.run({ kind: 'validate', image: { bytes, format } }, signal);
  return outcome.ok ? outcome.result.state : outcome.failure;
}

/** Returns the state of the foreign verifier, or `own` if the machine has none. */
async function outsideStateOf(bytes: Buffer, format: OutputFormat, own: string): Promise<string> {
  if (outside === undefined) return own;
  const path = join(folder, 'hostile');
  await writeFile(path, bytes);
  return (await outside.verify(path, format)).state;
}

describe('a hostile manifest', () => {
  test('gets the verdict of a foreign verifier, and the next image is right', async () => {
    const [png, jpeg, webp] = await Promise.all(FORMATS.map((format) => sampleImage(format, 40)));
    if (!png || !jpeg || !webp) expect.fail('no images');
    const images = hostileImages({ png, jpeg, webp }, signed);

    for (const { name, bytes, format } of images) {
      const state = await stateOf(bytes, format);
      const expected = await outsideStateOf(bytes, format, state);
      expect({ name, format, state }).toEqual({ name, format, state: expected });
      expect(['none', 'invalid', 'unreadable']).toContain(state);
      expect(await stateOf(signed, 'png')).toBe('valid');
    }
    expect(images.length).toBeGreaterThan(113);
  }, 600_000);

  test('gets the verdict of a foreign verifier after a random change', async () => {
    const seeded = createSeeded(7);
    for (const format of FORMATS) {
      const whole = await provider.sign(await sampleImage(format), format);
      const start = whole.indexOf('jumb') - 4;
      const end = format === 'webp' ? whole.length : start + whole.readUInt32BE(start);
      for (let round = 0; round < MUTATIONS / FORMATS.length; round += 1) {
        const bytes = Buffer.from(whole);
        for (let count = seeded.next(4) + 1; count > 0; count -= 1) {
          bytes[start + seeded.next(end - start)] = seeded.next(256);
        }

        const state = await stateOf(bytes, format);
        const expected = await outsideStateOf(bytes, format, state);
        expect({ format, round, state }).toEqual({ format, round, state: expected });
        expect(['valid', 'invalid', 'unreadable', 'none']).toContain(state);
      }
    }
    expect(await stateOf(signed, 'png')).toBe('valid');
  }, 600_000);

  test('is not fetched from the server of a link', async () => {
    let requests = 0;
    const server = createServer((_, reply) => {
      requests += 1;
      reply.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const xmp = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="http://127.0.0.1:${port}/manifest.c2pa"/></rdf:RDF></x:xmpmeta>`;
    const linked = insertAfterSoi(await sampleImage('jpeg'), segment(0xe1, Buffer.from(xmp)));

    expect(await stateOf(linked, 'jpeg')).toBe('link');
    expect(requests).toBe(0);
    server.close();
  });
});
