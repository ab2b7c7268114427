import { createHash } from 'node:crypto';
import sharp from 'sharp';
import * as v from 'valibot';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ImageResponse,
  type ImageWithBytes,
} from '../../../../lib/contract/reply/image-response.ts';
import { ImageMetadataRecord } from '../../../../lib/contract/reply/metadata-record.ts';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { readRecord } from '../../../../lib/images/xmp/image-record.ts';
import { replyWith, type Script } from '../../../support/scripted-provider.ts';
import { slices } from '../../../support/slices.ts';
import { pngXmp } from '../../images/fifty-images.ts';
import { insertAfterSoi, segment } from '../../images/jpeg/jpeg-bytes.ts';
import { chunk, insertAfterHeader } from '../../images/png/png-bytes.ts';
import { chunksOf, riffChunk, webp } from '../../images/webp/webp-bytes.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { image } from '../images.ts';
import { requestOf } from '../requests.ts';

const limits = {
  max_encoded_bytes: 1024 * 1024,
  max_edge: 2048,
  max_pixels: 4_194_304,
  max_decode_ms: 10_000,
};
const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

async function open(script: Partial<Script> = {}, capabilities = anything) {
  const rig = await openGenerationRig(
    { reply: (call) => replyWith(png)(call), ...script },
    capabilities,
  );
  rigs.push(rig);
  return rig;
}

/** The image with a box of a manifest, where C2PA puts it. */
function withManifest(bytes: Buffer, format: OutputFormat): Buffer {
  const box = Buffer.from('\0\0\0\x10jumb\0\0\0\x08jumd', 'latin1');
  if (format === 'png') return insertAfterHeader(bytes, chunk('caBX', box));
  if (format === 'webp')
    return webp(...chunksOf(bytes).map((one) => one.bytes), riffChunk('C2PA', box));
  const packet = Buffer.from('JP\0\x01\0\0\0\x01', 'latin1');
  return insertAfterSoi(bytes, segment(0xeb, Buffer.concat([packet, box])));
}

function run(rig: GenerationRig, sent: object) {
  return rig.run(requestOf(sent), rig.newContext()).result;
}

async function embeddedIn(bytes: Uint8Array) {
  const reading = await readRecord(
    Buffer.from(bytes),
    limits,
    slices,
    new AbortController().signal,
  );
  return v.parse(ImageMetadataRecord, JSON.parse(reading.ok ? reading.record : reading.fault));
}

function inlineBytes(image: ImageWithBytes | undefined): Buffer {
  return image?.type === 'b64_json' ? Buffer.from(image.b64_json) : expect.fail('not inline');
}

describe('embedded metadata', () => {
  it.each<OutputFormat>(['png', 'jpeg', 'webp'])(
    'lies in each %s, whose length and checksum are those of what is delivered',
    async (format) => {
      const plain = await image({ format });
      const rig = await open({
        reply: (call) => replyWith(plain, { revisedPrompt: 'red' })(call),
      });

      const { response } = await run(rig, {
        prompt: 'a <b>boat</b> ]]>',
        metadata: { order: '7' },
        parameters: { n: 2, output_format: format },
        output: { metadata: 'embedded' },
      });

      for (const [index, image] of response.data.entries()) {
        const bytes = inlineBytes(image);
        expect(image).toMatchObject({
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        });
        expect(await embeddedIn(bytes)).toMatchObject({
          request_id: 'request-1',
          completed: response.created,
          prompt: 'a <b>boat</b> ]]>',
          revised_prompt: 'red',
          metadata: { order: '7' },
          image: { index, format, width: 32, height: 24 },
        });
        expect(await sharp(bytes).raw().toBuffer()).toEqual(await sharp(plain).raw().toBuffer());
      }
    },
  );

  it.each<[OutputFormat, 'embedded' | 'sidecar_and_embedded']>([
    ['png', 'embedded'],
    ['jpeg', 'embedded'],
    ['webp', 'embedded'],
    ['png', 'sidecar_and_embedded'],
  ])('leaves a signed %s as the provider made it (%s), and says so', async (format, metadata) => {
    const signed = withManifest(await image({ format }), format);
    const rig = await open({ reply: (call) => replyWith(signed)(call) });

    const { response, publications } = await run(rig, {
      parameters: { output_format: format },
      output: { response_format: 'artifact', metadata },
    });

    const { name, bytes, sidecar } = publications[0]!.record;
    const content = await rig.artifacts.files.read(name, bytes);
    expect(content?.bytes.equals(signed)).toBe(true);
    expect(response.warnings).toEqual(['metadata_not_embedded']);
    expect(sidecar !== undefined).toBe(metadata === 'sidecar_and_embedded');
  });

  it('is embedded into a signed image that was converted, as the signature is lost', async () => {
    const signed = withManifest(await image({ format: 'png' }), 'png');
    const rig = await open({
      reply: (call) => call.succeed({ outputs: [{ bytes: signed, anyFormat: true }] }),
    });

    const { response } = await run(rig, {
      parameters: { output_format: 'webp' },
      output: { metadata: 'embedded' },
    });

    expect(response.warnings).toEqual(['output_format_converted']);
    expect(await embeddedIn(inlineBytes(response.data[0]))).toMatchObject({ prompt: 'a boat' });
  });

  it('says nothing of its own length and checksum, nor of a file', async () => {
    const rig = await open();

    const { response } = await run(rig, { output: { metadata: 'embedded' } });

    const record = await embeddedIn(inlineBytes(response.data[0]));
    expect(record.image).toEqual({ index: 0, format: 'png', width: 32, height: 24 });
    expect(response.data[0]).not.toHaveProperty('metadata_name');
  });

  it.each(['artifact', 'url'])('is published with an %s', async (form) => {
    const rig = await open();

    const { publications } = await run(rig, {
      output: { response_format: form, metadata: 'embedded' },
    });

    const { name, bytes, sidecar } = publications[0]!.record;
    const content = await rig.artifacts.files.read(name, bytes);
    expect(await embeddedIn(content!.bytes)).toMatchObject({ prompt: 'a boat' });
    expect(sidecar).toBeUndefined();
  });

  it('reports fallbacks, usage, timings, warnings and normalizations as the reply does', async () => {
    const rig = await open(
      {
        reply: (call) =>
          call.succeed({
            outputs: call.request.indices.map(() => ({ bytes: png })),
            usage: { total_tokens: 9 },
            warnings: ['sandbox_output'],
          }),
      },
      gptImage2,
    );

    const { response } = await run(rig, {
      parameters: { size: '1000x1000' },
      negative_prompt: 'fog',
      policies: { compatibility: 'normalize' },
      output: { metadata: 'embedded' },
    });

    const record = await embeddedIn(inlineBytes(response.data[0]));
    expect(record).toMatchObject({
      usage: { total_tokens: 9 },
      effective_prompt: 'a boat\n\nAvoid: fog',
      normalizations: response.normalizations,
      warnings: response.warnings,
    });
    expect(response.normalizations).not.toEqual([]);
    expect(record.timings?.total_ms).toBeLessThanOrEqual(response.timings.total_ms);
  });

  it('loses its dispensable fields to a revised prompt that fills an image, and names them', async () => {
    const revisedPrompt = '猫'.repeat(14_000);
    const rig = await open({ reply: (call) => replyWith(png, { revisedPrompt })(call) });

    const { response } = await run(rig, { output: { metadata: 'embedded' } });

    const record = await embeddedIn(inlineBytes(response.data[0]));
    expect(record.omitted_fields).toEqual([
      'timings',
      'warnings',
      'normalizations',
      'revised_prompt',
    ]);
    expect(response.revised_prompt).toBe(revisedPrompt);
  });

  it.each([
    ['control characters', { prompt: '\u0001'.repeat(8000) }],
    ['tags', { prompt: '<a'.repeat(6000), negative_prompt: '<b'.repeat(140) }],
    [
      'values',
      {
        metadata: Object.fromEntries(
          Array.from({ length: 16 }, (_, key) => [`k${key}`, '\u0001'.repeat(512)]),
        ),
      },
    ],
  ])('is refused at its field before anybody is asked, where %s cannot fit', async (_, sent) => {
    const rig = await open({}, gptImage2);

    const outcome = run(rig, { ...sent, output: { metadata: 'embedded' } });

    await expect(outcome).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'output.metadata',
    });
    expect(rig.provider.calls).toHaveLength(0);
  });

  it('takes the longest prompt in any script', async () => {
    const prompt = '猫'.repeat(4096);
    const rig = await open();

    const { response } = await run(rig, { prompt, output: { metadata: 'embedded' } });

    expect((await embeddedIn(inlineBytes(response.data[0]))).prompt).toBe(prompt);
  });

  it('fails over an image with more XMP than anybody writes', async () => {
    const odd = insertAfterHeader(png, ...Array.from({ length: 100 }, () => pngXmp('<a/>')));
    const rig = await open({ reply: (call) => replyWith(odd)(call) });

    const outcome = run(rig, { output: { metadata: 'embedded', response_format: 'artifact' } });

    await expect(outcome).rejects.toMatchObject({
      code: 'protocol',
      details: { reason: 'too_much_xmp' },
    });
    expect(await rig.artifacts.onDisk()).toEqual({});
  });
});

describe('sidecars', () => {
  it('lie beside their images with the whole record', async () => {
    const rig = await open({}, { ...anything, batching: gptImage2.batching });

    const { response, publications } = await run(rig, {
      parameters: { n: 2 },
      output: { response_format: 'artifact', metadata: 'sidecar', directory: 'boats' },
    });

    const onDisk = await rig.artifacts.onDisk();
    for (const [index, image] of response.data.entries()) {
      const { id, sidecar } = publications[index]!.record;
      expect(image.metadata_name).toBe(`boats/${id}.json`);
      expect(sidecar?.name).toBe(image.metadata_name);
      const text = onDisk[image.metadata_name ?? ''] ?? '';
      expect(createHash('sha256').update(text).digest('hex')).toBe(sidecar?.sha256);
      expect(v.parse(ImageMetadataRecord, JSON.parse(text)).image).toEqual({
        index,
        format: 'png',
        width: 32,
        height: 24,
        bytes: image.bytes,
        sha256: image.sha256,
      });
    }
    expect(Object.keys(onDisk)).toHaveLength(4);
  });

  it('come with embedded records, and hold the checksum of the image file', async () => {
    const rig = await open();

    const { response, publications } = await run(rig, {
      output: {
        response_format: 'artifact',
        metadata: 'sidecar_and_embedded',
        filename: 'red.png',
        collision: 'suffix',
      },
    });

    const { name, bytes, sha256 } = publications[0]!.record;
    const content = await rig.artifacts.files.read(name, bytes);
    const onDisk = await rig.artifacts.onDisk();
    const beside = v.parse(ImageMetadataRecord, JSON.parse(onDisk['red.json'] ?? ''));
    const { bytes: _bytes, sha256: _sha256, ...compact } = beside.image;
    expect(beside.image).toMatchObject({ bytes, sha256 });
    expect(await embeddedIn(content!.bytes)).toEqual({ ...beside, image: compact });
    expect(response.data[0]).toMatchObject({ sha256, metadata_name: 'red.json' });
  });

  it('come in a reply that matches the schema', async () => {
    const rig = await open();

    const { response } = await run(rig, {
      output: { response_format: 'artifact', metadata: 'sidecar' },
    });

    expect(v.safeParse(ImageResponse, response).issues).toBeUndefined();
  });

  it('are not there unless they were asked for', async () => {
    const rig = await open();

    const { response } = await run(rig, { output: { response_format: 'artifact' } });

    expect(await rig.artifacts.names()).toHaveLength(1);
    expect(response.data[0]).not.toHaveProperty('metadata_name');
  });
});
