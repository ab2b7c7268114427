import { createHash } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { MarkResult } from '../../../../lib/contract/reply/provenance.ts';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { describeImages } from '../../../../lib/generation/finish/describe-images.ts';
import { createFinish } from '../../../../lib/generation/finish/finish.ts';
import { readSourceType, writeXmp } from '../../../../lib/images/xmp/image-xmp.ts';
import { NO_CREDENTIALS } from '../../../support/provenance/no-credentials.ts';
import { replyWith, type Script } from '../../../support/scripted-provider.ts';
import { slices } from '../../../support/slices.ts';
import { insertAfterHeader } from '../../images/container/png-bytes.ts';
import { FOREIGN_PACKET, pngXmp } from '../../images/fifty-images.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { image, keyed, openEngine } from '../images.ts';
import { inlineBytes } from '../inline-bytes.ts';
import { flat, hinted, maskOf } from '../masked-images.ts';
import { planOf } from '../plans.ts';
import { inlineImage, requestOf } from '../requests.ts';

const TERMS = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const MARKING = { ...NO_CREDENTIALS, marks: true };
const { signal } = new AbortController();
const rigs: GenerationRig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

async function open(script: Partial<Script>, capabilities = anything, credentials = MARKING) {
  const rig = await openGenerationRig(script, capabilities, {}, [], credentials);
  rigs.push(rig);
  return rig;
}

function run(rig: GenerationRig, sent: object) {
  return rig.run(requestOf(sent), rig.newContext()).result;
}

function sourceType(bytes: Buffer, format: OutputFormat) {
  return readSourceType({ bytes, format }, slices, signal);
}

async function marked(bytes: Buffer, format: OutputFormat, sourceType: string): Promise<Buffer> {
  const written = await writeXmp({ bytes, format }, { sourceType }, slices, signal);
  return typeof written === 'string' ? expect.fail(written) : written.toBuffer();
}

describe('the delivery of an image without credentials', () => {
  test.each<OutputFormat>(['png', 'jpeg', 'webp'])(
    'marks a %s, and reports the length and the checksum of the marked file',
    async (format) => {
      const plain = await image({ format });
      const rig = await open({ reply: (call) => replyWith(plain)(call) });
      const output = { response_format: 'artifact', metadata: 'sidecar' };

      const { response, publications } = await run(rig, {
        parameters: { output_format: format },
        output,
      });

      const { record } = publications[0]!;
      const file = (await rig.artifacts.files.read(record.name, record.bytes))!.bytes;
      const sha256 = createHash('sha256').update(file).digest('hex');
      expect(await sourceType(file, format)).toBe(`${TERMS}trainedAlgorithmicMedia`);
      expect(record).toMatchObject({ bytes: file.length, sha256 });
      expect(response.data[0]).toMatchObject({ bytes: file.length, sha256 });
      const sidecar = (await rig.artifacts.onDisk())[record.sidecar?.name ?? ''] ?? '';
      expect(JSON.parse(sidecar).image).toMatchObject({ bytes: file.length, sha256 });
    },
  );

  test('leaves the bytes of the provider if no image is to be marked', async () => {
    const plain = await image();
    const rig = await open({ reply: (call) => replyWith(plain)(call) }, anything, NO_CREDENTIALS);

    const { response } = await run(rig, {});

    expect(inlineBytes(response.data[0]).equals(plain)).toBe(true);
  });

  test('leaves the bytes of an image that the provider has marked', async () => {
    const theirs = await marked(await image(), 'png', 'another value');
    const rig = await open({ reply: (call) => replyWith(theirs)(call) });

    const { response } = await run(rig, {});

    expect(inlineBytes(response.data[0]).equals(theirs)).toBe(true);
  });

  test.each([
    ['a term of the vocabulary', `${TERMS}compositeSynthetic`, `${TERMS}compositeSynthetic`],
    ['another text', 'generated', `${TERMS}trainedAlgorithmicMedia`],
  ])('marks a converted image as the provider did, if the mark was %s', async (_, given, after) => {
    const theirs = await marked(await image(), 'png', given);
    const rig = await open({
      reply: (call) => call.succeed({ outputs: [{ bytes: theirs, anyFormat: true }] }),
    });

    const { response } = await run(rig, { parameters: { output_format: 'webp' } });

    expect(await sourceType(inlineBytes(response.data[0]), 'webp')).toBe(after);
  });

  test.each([
    ['embedded', true],
    ['none', false],
  ])('keeps the mark of the provider if the record is %s', async (metadata, hasRecord) => {
    const theirs = await marked(await image(), 'png', `${TERMS}compositeSynthetic`);
    const rig = await open({ reply: (call) => replyWith(theirs)(call) });

    const { response } = await run(rig, { output: { metadata } });

    const bytes = inlineBytes(response.data[0]);
    expect(await sourceType(bytes, 'png')).toBe(`${TERMS}compositeSynthetic`);
    expect(bytes.includes('ib:record')).toBe(hasRecord);
  });

  test('writes the record and the mark into one packet', async () => {
    const plain = await image();
    const rig = await open({ reply: (call) => replyWith(plain)(call) });

    const { response } = await run(rig, { output: { metadata: 'embedded' } });

    const bytes = inlineBytes(response.data[0]);
    expect(await sourceType(bytes, 'png')).toBe(`${TERMS}trainedAlgorithmicMedia`);
    expect(bytes.toString('latin1').split('<x:xmpmeta')).toHaveLength(2);
    expect(bytes.includes('ib:record')).toBe(true);
  });

  test.each([
    ['transparent', () => keyed()],
    ['opaque, because the cut-out failed', () => flat(32, 24, '#c04020')],
  ])('marks an image that is %s', async (_, draw) => {
    const drawn = await draw();
    const rig = await open({ reply: (call) => replyWith(drawn)(call) }, gptImage2);

    const { response } = await run(rig, {
      parameters: { background: 'transparent' },
      policies: { compatibility: 'best_effort' },
    });

    const bytes = inlineBytes(response.data[0]);
    expect(await sourceType(bytes, 'png')).toBe(`${TERMS}trainedAlgorithmicMedia`);
  });

  test.each([
    ['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia'],
    ['algorithmicMedia', 'compositeSynthetic'],
  ] as const)('marks a composite with pixels of the source type %s as %s', async (own, after) => {
    const drawn = await flat(48, 32, '#20a040');
    const rig = await open(
      { sourceType: own, maskForm: 'alpha', reply: (call) => replyWith(drawn)(call) },
      hinted,
    );
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, (at) => (at % 48 < 24 ? 0 : 255));

    const { response } = await run(rig, {
      operation: 'edit',
      images: [inlineImage(source)],
      mask: inlineImage(mask),
    });

    expect(await sourceType(inlineBytes(response.data[0]), 'png')).toBe(TERMS + after);
  });

  test('uses the source type of the provider', async () => {
    const plain = await image();
    const rig = await open({
      sourceType: 'algorithmicMedia',
      reply: (call) => replyWith(plain)(call),
    });

    const { response } = await run(rig, {});

    const bytes = inlineBytes(response.data[0]);
    expect(await sourceType(bytes, 'png')).toBe(`${TERMS}algorithmicMedia`);
  });

  test('delivers an image as it is if its XMP cannot be merged with a mark', async () => {
    const packet = FOREIGN_PACKET.replace('elsewhere', 'e'.repeat(20_000));
    const given = insertAfterHeader(await image(), pngXmp(packet));
    const rig = await open({ reply: (call) => replyWith(given)(call) });

    const { response } = await run(rig, {});

    expect(inlineBytes(response.data[0]).equals(given)).toBe(true);
    expect(response.warnings).toEqual([]);
  });
});

describe('describeImages', () => {
  const engine = openEngine();
  afterAll(() => engine.close());

  async function described(bytes: Buffer, tools: Partial<typeof engine>) {
    const plan = planOf(requestOf());
    const changed = { ...engine, ...tools };
    const finish = createFinish({ engine: changed, credentials: MARKING, inputs: [] });
    const unfinished = { index: 0, output: { bytes }, generationMs: 1 };
    const finished = await finish(unfinished, plan.finish, signal);
    const marks: MarkResult[] = [];
    const outcome = {
      plan,
      completedSecs: 1,
      attempts: undefined,
      result: {
        outputs: [finished],
        failures: [],
        warnings: [],
        usage: undefined,
        cost: { amount: 0n, basis: 'reported' },
      },
    } as const;
    const [output] = await describeImages(
      {
        engine: changed,
        credentials: MARKING,
        metrics: { imageDescribed: ({ mark }) => marks.push(mark) },
      },
      outcome,
      { queue_ms: 0, input_ms: 0, provider_ms: 0, artifact_ms: 0, total_ms: 0 },
      signal,
    );
    return { output, marks };
  }

  test.each<[MarkResult, typeof engine.writeXmp]>([
    ['written', engine.writeXmp],
    ['none', async () => 'altered'],
    ['none', () => Promise.reject(new Error('a fault of the program'))],
  ])('counts a mark as %s, and delivers the image in each case', async (result, writeXmp) => {
    const bytes = await image();

    const { output, marks } = await described(bytes, {
      writeXmp,
      async checkAndMark(...[given, , aborting]) {
        const inspection = await engine.check(given, aborting);
        return inspection.ok ? { ...inspection, marked: undefined } : inspection;
      },
    });

    expect(marks).toEqual([result]);
    expect(output?.provenance.mark).toBe(result);
    expect(output?.image.bytes.toBuffer().equals(bytes)).toBe(result === 'none');
  });

  test('delivers the image that was marked while it was decoded', async () => {
    const bytes = await image();

    const { output, marks } = await described(bytes, {
      writeXmp: () => expect.fail('the image is marked again'),
    });

    const expected = await marked(bytes, 'png', `${TERMS}trainedAlgorithmicMedia`);
    expect(marks).toEqual(['written']);
    expect(output?.image.bytes.toBuffer()).toEqual(expected);
    expect(output?.image.sha256).toBe(createHash('sha256').update(expected).digest('hex'));
  });
});
