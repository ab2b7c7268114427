import { createHash } from 'node:crypto';
import sharp from 'sharp';
import * as v from 'valibot';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ImageResponse } from '../../../../lib/contract/reply/image-response.ts';
import {
  ImageMetadataRecord,
  OMITTABLE_FIELDS,
} from '../../../../lib/contract/reply/metadata-record.ts';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { fitRecord, toMetadataRecord } from '../../../../lib/generation/finish/describe-images.ts';
import type { Outcome } from '../../../../lib/generation/finish/response.ts';
import { longestRecord } from '../../../../lib/generation/plan/record-essentials.ts';
import { readRecord } from '../../../../lib/images/xmp/image-xmp.ts';
import { replyWith, type Script } from '../../../support/scripted-provider.ts';
import { slices } from '../../../support/slices.ts';
import { insertAfterSoi } from '../../images/container/jpeg-bytes.ts';
import { boxSegment, manifestBox } from '../../images/container/manifest-bytes.ts';
import { chunk, insertAfterHeader } from '../../images/container/png-bytes.ts';
import { chunksOf, riffChunk, webp } from '../../images/container/webp-bytes.ts';
import { pngXmp } from '../../images/fifty-images.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { image } from '../images.ts';
import { inlineBytes } from '../inline-bytes.ts';
import { planOf } from '../plans.ts';
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

/** Adds a manifest box to an image, at the place that C2PA specifies. */
function withManifest(bytes: Buffer, format: OutputFormat): Buffer {
  const box = manifestBox();
  if (format === 'png') return insertAfterHeader(bytes, chunk('caBX', box));
  if (format === 'webp')
    return webp(...chunksOf(bytes).map((one) => one.bytes), riffChunk('C2PA', box));
  return insertAfterSoi(bytes, boxSegment(box));
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

describe('embedded metadata', () => {
  it.each<OutputFormat>(['png', 'jpeg', 'webp'])(
    'is embedded in a %s, whose reported length and checksum match the delivered bytes',
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
  ])('leaves a signed %s unchanged (%s), and adds a warning', async (format, metadata) => {
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

  it('is embedded in a signed image that was converted, because the signature is lost', async () => {
    const signed = withManifest(await image({ format: 'png' }), 'png');
    const rig = await open({
      reply: (call) => call.succeed({ outputs: [{ bytes: signed, anyFormat: true }] }),
    });

    const { response } = await run(rig, {
      parameters: { output_format: 'webp' },
      output: { metadata: 'embedded' },
    });

    expect(response.warnings).toEqual(['output_format_converted', 'credentials_dropped']);
    expect(await embeddedIn(inlineBytes(response.data[0]))).toMatchObject({ prompt: 'a boat' });
  });

  it('omits the length, the checksum and the file name of its image', async () => {
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

  it('omits its omittable fields if a revised prompt fills the record, and names them', async () => {
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
  ])('is rejected by its field before any call if %s cannot fit', async (_, sent) => {
    const rig = await open({}, gptImage2);

    const outcome = run(rig, { ...sent, output: { metadata: 'embedded' } });

    await expect(outcome).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'output.metadata',
    });
    expect(rig.provider.calls).toHaveLength(0);
  });

  it('holds the longest prompt in any script', async () => {
    const prompt = '猫'.repeat(4096);
    const rig = await open();

    const { response } = await run(rig, { prompt, output: { metadata: 'embedded' } });

    expect((await embeddedIn(inlineBytes(response.data[0]))).prompt).toBe(prompt);
  });

  it('fails for an image that has too much XMP', async () => {
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
  it('are written beside their images with the whole record', async () => {
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

  it('are written together with embedded records, and hold the checksum of the image file', async () => {
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
    expect(beside.provenance).toEqual({ found: 'none', credentials: 'none', mark: 'none' });
    expect(await embeddedIn(content!.bytes)).toEqual({
      ...beside,
      image: compact,
      provenance: { found: 'none' },
    });
    expect(response.data[0]).toMatchObject({ sha256, metadata_name: 'red.json' });
  });

  it('are reported in a reply that matches the schema', async () => {
    const rig = await open();

    const { response } = await run(rig, {
      output: { response_format: 'artifact', metadata: 'sidecar' },
    });

    expect(v.safeParse(ImageResponse, response).issues).toBeUndefined();
  });

  it('are written only if they were requested', async () => {
    const rig = await open();

    const { response } = await run(rig, { output: { response_format: 'artifact' } });

    expect(await rig.artifacts.names()).toHaveLength(1);
    expect(response.data[0]).not.toHaveProperty('metadata_name');
  });
});

const TIMINGS = { queue_ms: 1, input_ms: 2, provider_ms: 3, artifact_ms: 4, total_ms: 10 };
const IMAGE = { index: 0, format: 'png', width: 3, height: 2 } as const;

function outcomeOf(sent: object = {}, capabilities = anything): Outcome {
  return {
    plan: planOf(requestOf(sent), capabilities),
    completedSecs: 1_700_000_000,
    result: {
      outputs: [],
      failures: [],
      usage: { total_tokens: 7, provider: { images: 1 } },
      cost: { amount: 400_000_000n, basis: 'reported' },
      warnings: ['sandbox_output', 'negative_prompt_merged', 'sandbox_output'],
    },
    attempts: [
      { provider: 'other', outcome: 'failed', error_code: 'overloaded', duration_ms: 1 },
      { provider: 'scripted', model: 'scripted-image', outcome: 'succeeded', duration_ms: 5 },
    ],
  };
}

const PROVENANCE = { found: 'none', credentials: 'none', mark: 'none' } as const;

const recordOf = (outcome: Outcome, revisedPrompt?: string) =>
  toMetadataRecord(outcome, TIMINGS, { revisedPrompt }, { image: IMAGE, provenance: PROVENANCE });

describe('toMetadataRecord', () => {
  it('contains all fields of the schema', () => {
    const outcome = outcomeOf({ metadata: { order: '7' }, parameters: { n: 2 } });

    const record = recordOf(outcome, 'a red boat');

    expect(v.parse(ImageMetadataRecord, record)).toEqual({
      version: '1',
      request_id: 'request-1',
      completed: 1_700_000_000,
      operation: 'generate',
      inputs: { images: 0, mask: 0, reference_images: 0 },
      prompt: 'a boat',
      policies: outcome.plan.report.record.policies,
      requested: outcome.plan.report.record.requested,
      effective: outcome.plan.report.record.effective,
      normalizations: [],
      revised_prompt: 'a red boat',
      provider: 'scripted',
      model: 'scripted-image',
      attempts: outcome.attempts,
      usage: { total_tokens: 7, provider: { images: 1 } },
      cost: { amount: '0.04', currency: 'USD', basis: 'reported' },
      timings: TIMINGS,
      warnings: ['negative_prompt_merged', 'sandbox_output'],
      provenance: PROVENANCE,
      metadata: { order: '7' },
      image: IMAGE,
    });
  });

  it('omits unknown fields', () => {
    const outcome = outcomeOf();

    const record = recordOf({
      ...outcome,
      attempts: undefined,
      result: { ...outcome.result, usage: undefined },
    });

    expect(Object.keys(record)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(attempts|usage|revised_prompt|negative)/)]),
    );
  });

  it('reports a merged negative prompt as the effective prompt', () => {
    const record = recordOf(outcomeOf({ negative_prompt: 'fog' }, gptImage2));

    expect(record).toMatchObject({
      prompt: 'a boat',
      effective_prompt: 'a boat\n\nAvoid: fog',
      negative_prompt: 'fog',
    });
    expect(record).not.toHaveProperty('effective_negative_prompt');
  });

  it('reports a native negative prompt as the effective negative prompt', () => {
    const capabilities = { ...anything, negative_prompt: 'native' } as const;

    const record = recordOf(outcomeOf({ negative_prompt: 'fog' }, capabilities));

    expect(record).toMatchObject({ negative_prompt: 'fog', effective_negative_prompt: 'fog' });
    expect(record).not.toHaveProperty('effective_prompt');
  });

  it('counts the inputs', () => {
    const image = { type: 'base64', data: Buffer.from('image').toString('base64') };
    const sent = { operation: 'edit', images: [image, image], mask: image };

    const record = recordOf(outcomeOf({ ...sent, reference_images: [image] }));

    expect(record.inputs).toEqual({ images: 2, mask: 1, reference_images: 1 });
  });
});

describe('fitRecord', () => {
  const full = recordOf(outcomeOf(), 'a red boat');
  const present = OMITTABLE_FIELDS.filter((field) => field in full);

  it('omits nothing if the record fits', () => {
    expect(fitRecord(full, JSON.stringify, () => true)).toBe(JSON.stringify(full));
  });

  it.each(present.map((field, index) => [field, present.slice(0, index + 1)] as const))(
    'omits fields in the order of the contract, up to %s, and no more fields than necessary',
    (field, omitted) => {
      const json = fitRecord(
        full,
        JSON.stringify,
        (text) => !Object.hasOwn(JSON.parse(text), field),
      );

      const record = v.parse(ImageMetadataRecord, JSON.parse(json ?? ''));
      expect(record.omitted_fields).toEqual(omitted);
      expect(record).not.toHaveProperty(field);
      const kept = Object.keys(full).filter((key) => !omitted.some((one) => one === key));
      expect(Object.keys(record).sort()).toEqual([...kept, 'omitted_fields'].sort());
    },
  );

  it('names only fields that the record had', () => {
    const { usage: _usage, ...plain } = full;

    const json = fitRecord(plain, JSON.stringify, (text) => !text.includes('"timings":'));

    expect(JSON.parse(json ?? '')).toMatchObject({ omitted_fields: ['timings'] });
  });

  it('fails instead of shortening a prompt', () => {
    const fit = () => fitRecord(full, JSON.stringify, (text) => !text.includes('a boat'));

    expect(fit).toThrow('the metadata record is too large');
  });
});

describe('longestRecord', () => {
  it.each([
    {},
    { negative_prompt: 'fog', parameters: { n: 4, output_format: 'jpeg' } },
    { metadata: { a: 'b' } },
  ])('is at least as long as the record of %j', (sent) => {
    const outcome = outcomeOf(sent, gptImage2);
    const json = fitRecord(
      toMetadataRecord(
        outcome,
        TIMINGS,
        { revisedPrompt: 'x'.repeat(9000) },
        {
          image: {
            index: outcome.plan.report.record.effective.n - 1,
            format: 'webp',
            width: 16_384,
            height: 16_384,
          },
        },
      ),
      JSON.stringify,
      (text) => !OMITTABLE_FIELDS.some((field) => Object.hasOwn(JSON.parse(text), field)),
    );

    const longest = JSON.stringify(longestRecord(outcome.plan.report.record));

    expect(json?.length).toBeGreaterThan(500);
    expect(longest.length).toBeGreaterThanOrEqual(json?.length ?? 0);
  });
});
