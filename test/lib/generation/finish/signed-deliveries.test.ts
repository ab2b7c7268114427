import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Warning } from '../../../../lib/contract/reply/image-response.ts';
import type { Provenance } from '../../../../lib/contract/reply/provenance.ts';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import type { ManifestReport } from '../../../../lib/contract/resources/artifact-credentials.ts';
import { readRecord, readSourceType, writeXmp } from '../../../../lib/images/xmp/image-xmp.ts';
import type { Credentials } from '../../../../lib/provenance/credentials.ts';
import { trialCertificates } from '../../../support/provenance/certificates.ts';
import { NO_CREDENTIALS } from '../../../support/provenance/no-credentials.ts';
import { C2PA_PYTHON, startOutsideVerifier } from '../../../support/provenance/outside-verifier.ts';
import { createProviderSigner, FORMATS } from '../../../support/provenance/signed-images.ts';
import { openTrialCredentials } from '../../../support/provenance/trial-credentials.ts';
import type { ScriptedCall } from '../../../support/scripted-provider.ts';
import { createSeeded } from '../../../support/seeded.ts';
import { slices } from '../../../support/slices.ts';
import { manifestBox } from '../../images/container/manifest-bytes.ts';
import { chunk, insertAfterHeader } from '../../images/container/png-bytes.ts';
import { fromPixels, textured } from '../../images/sample-images.ts';
import { anything, gptImage2 } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { keyed } from '../images.ts';
import { inlineBytes } from '../inline-bytes.ts';
import { flat, hinted, maskOf } from '../masked-images.ts';
import { inlineImage, requestOf } from '../requests.ts';

const DELIVERIES = Number(process.env['PROVENANCE_DELIVERIES'] ?? 80);
const PROMPT = 'a prompt that no manifest may contain';
const SCOPE = 'token:a-scope-that-no-manifest-may-contain';

const { signal } = new AbortController();
const limits = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};
const provider = createProviderSigner(trialCertificates({ organisation: 'Provider of Tests' }));
const outside = C2PA_PYTHON === undefined ? undefined : startOutsideVerifier();
const rigs = new Map<string, GenerationRig>();
const opened: Credentials[] = [];
let folder = '';
let judge: Credentials;
let reply: (call: ScriptedCall) => void | Promise<void> = () => {};

/** The text of a PNG chunk with an empty XMP packet. */
const XMP_TEXT = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>', 'latin1');

const CERTIFICATES = ['none', 'changed', 'all'] as const;
const ORIGINS = ['unsigned', 'signed', 'tampered', 'unreadable'] as const;
const PATHS = ['plain', 'cut_out', 'put_back'] as const;
/** The credentials of the source of an edit. Only `put_back` has a source. */
const SOURCES = ['unsigned', 'signed', 'tampered'] as const;
const RECORDS = ['none', 'embedded'] as const;
const MARKS = ['missing', 'never'] as const;

const TERMS = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const GENERATED = `${TERMS}trainedAlgorithmicMedia`;
const COMPOSITE = `${TERMS}compositeWithTrainedAlgorithmicMedia`;
/** The mark of the provider. */
const THEIRS = `${TERMS}algorithmicallyEnhanced`;

interface Case {
  readonly certificate: (typeof CERTIFICATES)[number] | 'failing';
  readonly origin: (typeof ORIGINS)[number];
  readonly path: (typeof PATHS)[number];
  readonly source: (typeof SOURCES)[number];
  readonly record: (typeof RECORDS)[number];
  /** The setting `provenance.mark`. By default `never`. */
  readonly marks?: (typeof MARKS)[number];
  /** True if the provider has marked the image. */
  readonly isMarked?: boolean;
  readonly from: OutputFormat;
  readonly to: OutputFormat;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signed-deliveries-'));
  judge = await trial('changed');
});
afterAll(async () => {
  for (const rig of rigs.values()) await rig.close();
  for (const credentials of opened) await credentials.close();
  await provider.close();
  await outside?.close();
  await rm(folder, { recursive: true });
});

async function trial(scope: 'changed' | 'all'): Promise<Credentials> {
  const { credentials } = await openTrialCredentials(folder, { scope });
  opened.push(credentials);
  return credentials;
}

const DOCUMENTS = { plain: anything, cut_out: gptImage2, put_back: hinted };

async function rigFor({
  certificate,
  path,
  marks = 'never',
}: Pick<Case, 'certificate' | 'path' | 'marks'>) {
  const key = `${certificate} ${path} ${marks}`;
  const open = rigs.get(key);
  if (open) return open;
  if (certificate === 'failing') throw new Error('the test opens the rig that fails');
  const credentials = certificate === 'none' ? NO_CREDENTIALS : await trial(certificate);
  const script = { maskForm: 'alpha', reply: (call: ScriptedCall) => reply(call) } as const;
  const rig = await openGenerationRig(script, DOCUMENTS[path], {}, [], {
    ...credentials,
    marks: marks === 'missing',
  });
  rigs.set(key, rig);
  return rig;
}

/** Returns an image as a provider draws it for this path, without credentials. */
async function drawing({ path, from }: Case): Promise<Buffer> {
  if (path === 'put_back') return fromPixels(textured(48, 32)).toFormat(from).toBuffer();
  if (path === 'plain') return fromPixels(textured(40, 40)).toFormat(from).toBuffer();
  const png = await keyed();
  return from === 'png'
    ? png
    : fromPixels(await pixelsOf(png))
        .toFormat(from, LOSSLESS)
        .toBuffer();
}

const LOSSLESS = { lossless: true, quality: 100 };

async function pixelsOf(png: Buffer) {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3 } as const;
}

async function givenIn(one: Case): Promise<Buffer> {
  const plain = await drawing(one);
  const image = { bytes: plain, format: one.from };
  if (!one.isMarked) return withCredentials(plain, one.from, one.origin);
  const marked = await writeXmp(image, { sourceType: THEIRS }, slices, signal);
  if (typeof marked === 'string') throw new Error(marked);
  return withCredentials(marked.toBuffer(), one.from, one.origin);
}

async function sourceIn({ source }: Case): Promise<Buffer> {
  return withCredentials(await flat(48, 32, '#102030', 'jpeg'), 'jpeg', source);
}

async function withCredentials(
  plain: Buffer,
  format: OutputFormat,
  origin: Case['origin'],
): Promise<Buffer> {
  if (origin === 'unsigned') return plain;
  const signed = await provider.sign(plain, format);
  if (origin === 'signed') return signed;
  const copy = Buffer.from(signed);
  if (origin === 'unreadable') copy.write('x', copy.indexOf('jumd'), 'latin1');
  // The name of the model in the manifest: the pixels stay readable.
  else copy.write('another', copy.indexOf('model-of-tests'), 'latin1');
  return format === 'png' ? withNewChecksum(copy) : copy;
}

/** Corrects the checksum of the `caBX` chunk, so that only the manifest is wrong. */
function withNewChecksum(png: Buffer): Buffer {
  const at = png.indexOf('caBX');
  const length = png.readUInt32BE(at - 4);
  png.writeUInt32BE(crc32(png.subarray(at, at + 4 + length)), at + 4 + length);
  return png;
}

async function deliver(one: Case, given: Buffer) {
  const rig = await rigFor(one);
  reply = async (call) => {
    call.dispatch();
    call.succeed({ outputs: [{ bytes: given, anyFormat: true }] });
  };
  const source = await sourceIn(one);
  const mask = await maskOf({ width: 48, height: 32 }, (at) => (at % 48 < 24 ? 0 : 255));
  const edit = { operation: 'edit', images: [inlineImage(source)], mask: inlineImage(mask) };
  const cutOut = { background: 'transparent' };
  const request = requestOf({
    prompt: PROMPT,
    parameters: { output_format: one.to, ...(one.path === 'cut_out' ? cutOut : {}) },
    policies: { compatibility: 'best_effort' },
    output: { metadata: one.record },
    ...(one.path === 'put_back' ? edit : {}),
  });
  const context = { ...rig.newContext(), scope: SCOPE };
  const { response } = await rig.run(request, context).result;
  const [image] = response.data;
  return { bytes: inlineBytes(image), warnings: response.warnings, provenance: image?.provenance };
}

interface Facts {
  readonly state: string;
  readonly isUnchanged: boolean;
  readonly hasRecord: boolean;
  readonly mark: string | undefined;
  readonly warnings: readonly Warning[];
}

/** Returns the facts that the tables in docs/provenance.md promise for a case. */
function promised(one: Case): Facts {
  const { certificate, origin, path, source, record, from, to, isMarked = false } = one;
  const isChanged = path !== 'plain' || from !== to;
  const signs = certificate !== 'none';
  const embeds = record === 'embedded';
  const none = {
    ...{ state: 'none', isUnchanged: false, hasRecord: embeds, warnings: [] as Warning[] },
    mark: promisedMark(one),
  };
  const signed = { ...none, state: 'valid' };
  const originals = path === 'put_back' ? [origin, source] : [origin];
  const isInvalid = signs && originals.includes('tampered');
  const invalid: Warning[] = isInvalid ? ['credentials_invalid'] : [];
  if (originals.every((one) => one === 'unsigned')) {
    const isUnchanged = !isChanged && !embeds && (isMarked || one.marks === 'never');
    return certificate === 'all' ? signed : { ...none, isUnchanged };
  }
  const areSound = originals.every((one) => one === 'signed' || one === 'unsigned');
  if (areSound && signs && (isChanged || embeds)) return signed;
  if (isChanged) return { ...none, warnings: ['credentials_dropped', ...invalid] };
  const states = { signed: 'valid', tampered: 'invalid', unreadable: 'unreadable' } as const;
  const state = origin === 'unsigned' ? 'none' : states[origin];
  const warnings: Warning[] = [...(embeds ? ['metadata_not_embedded' as const] : []), ...invalid];
  const mark = isMarked ? THEIRS : undefined;
  return { state, isUnchanged: true, hasRecord: false, mark, warnings };
}

/** Returns the mark of an image whose bytes the bridge may change. */
function promisedMark({ path, from, to, marks, isMarked }: Case): string | undefined {
  const isSameFile = path === 'plain' && from === to;
  if (isMarked && isSameFile) return THEIRS;
  if (marks !== 'missing') return undefined;
  if (path === 'put_back') return COMPOSITE;
  return isMarked ? THEIRS : GENERATED;
}

/** Returns the provenance that docs/provenance.md promises for a case. */
function promisedProvenance(delivery: Case): Provenance {
  const { certificate, path, record, from, to, ...one } = delivery;
  const { mark: sourceType } = promised(delivery);
  const isSameFile = path === 'plain' && from === to;
  const marked = one.isMarked && isSameFile ? 'existing' : 'written';
  const signs = certificate !== 'none';
  const states = signs ? CHECKED : UNCHECKED;
  const all = path === 'put_back' ? [one.origin, one.source] : [one.origin];
  const originals = all.map((origin) => states[origin]);
  const found = originals.find((state) => state !== 'none') ?? 'none';
  const hasSigner = found === 'valid' || found === 'invalid';
  const known = {
    found,
    mark: sourceType === undefined ? 'none' : marked,
    ...(sourceType === undefined ? {} : { source_type: sourceType }),
    ...(hasSigner ? { signer: 'Provider of Tests' } : {}),
  } as const;
  if (found === 'none') return { ...known, credentials: certificate === 'all' ? 'signed' : 'none' };
  const isRedrawn = path !== 'plain' || from !== to;
  if (!isRedrawn && record === 'none') return { ...known, credentials: 'kept' };
  const obstacle = originals.find((state) => state !== 'none' && state !== 'valid');
  if (signs && obstacle === undefined) return { ...known, credentials: 'resigned' };
  if (!isRedrawn) return { ...known, credentials: 'kept' };
  const step = path === 'plain' ? 'converted' : path;
  const isNamed = obstacle === 'invalid' || obstacle === 'unreadable';
  return { ...known, credentials: 'dropped', reason: signs && isNamed ? obstacle : step };
}

const CHECKED = {
  unsigned: 'none',
  signed: 'valid',
  tampered: 'invalid',
  unreadable: 'unreadable',
} as const;
const UNCHECKED = {
  unsigned: 'none',
  signed: 'present',
  tampered: 'present',
  unreadable: 'present',
} as const;

const OWN_WARNINGS: readonly Warning[] = [
  'credentials_dropped',
  'credentials_invalid',
  'metadata_not_embedded',
  'signing_failed',
];

async function factsOf(
  { to }: Case,
  given: Buffer,
  { bytes, warnings }: Awaited<ReturnType<typeof deliver>>,
): Promise<Facts> {
  const report = await judge.validate({ bytes, format: to }, signal);
  const reading = await readRecord(bytes, limits, slices, signal);
  return {
    state: report?.state ?? 'unchecked',
    isUnchanged: bytes.equals(given),
    hasRecord: reading.ok,
    mark: await readSourceType({ bytes, format: to }, slices, signal),
    warnings: warnings.filter((warning) => OWN_WARNINGS.includes(warning)),
  };
}

async function outsideState(bytes: Buffer, format: OutputFormat): Promise<string | undefined> {
  if (outside === undefined) return undefined;
  const path = join(folder, 'delivered');
  await writeFile(path, bytes);
  return (await outside.verify(path, format)).state;
}

function actionsOf(manifest: ManifestReport | undefined): readonly string[] {
  return manifest?.actions.map(({ action }) => action) ?? [];
}

describe('the delivery of an image', () => {
  test(`keeps, renews or drops its credentials and marks the image as documented, in ${DELIVERIES} cases`, async () => {
    const seeded = createSeeded(29);
    for (let round = 0; round < DELIVERIES; round += 1) {
      const path = seeded.pick(PATHS);
      const one: Case = {
        path,
        certificate: seeded.pick(CERTIFICATES),
        origin: seeded.pick(ORIGINS),
        source: path === 'put_back' ? seeded.pick(SOURCES) : 'unsigned',
        record: seeded.pick(RECORDS),
        marks: seeded.pick(MARKS),
        isMarked: seeded.pick([true, false]),
        from:
          path === 'cut_out' ? seeded.pick(['png', 'webp']) : seeded.pick(['png', 'jpeg', 'webp']),
        to:
          path === 'cut_out' ? seeded.pick(['png', 'webp']) : seeded.pick(['png', 'jpeg', 'webp']),
      };
      const given = await givenIn(one);

      const delivered = await deliver(one, given);

      const facts = await factsOf(one, given, delivered);
      expect({ round, ...one, ...facts }).toEqual({ round, ...one, ...promised(one) });
      const { provenance } = delivered;
      expect({ round, ...one, provenance }).toEqual({
        round,
        ...one,
        provenance: promisedProvenance(one),
      });
      expect(provenance?.credentials === 'dropped').toBe(
        facts.warnings.includes('credentials_dropped'),
      );
      expect(delivered.bytes.includes(PROMPT)).toBe(facts.hasRecord);
      const secrets = [folder, SCOPE, 'PRIVATE KEY'];
      expect(secrets.filter((secret) => delivered.bytes.includes(secret))).toEqual([]);
      const state = await outsideState(delivered.bytes, one.to);
      if (state !== undefined) expect({ round, state }).toEqual({ round, state: facts.state });
    }
  }, 3_600_000);

  test.each<[string, Partial<Case>, readonly string[], readonly (readonly string[])[]]>([
    [
      'a conversion',
      { from: 'png', to: 'webp' },
      ['c2pa.opened', 'c2pa.converted'],
      [['parentOf', 'c2pa.created']],
    ],
    [
      'a record',
      { record: 'embedded' },
      ['c2pa.opened', 'c2pa.edited.metadata'],
      [['parentOf', 'c2pa.created']],
    ],
    [
      'a cut-out',
      { path: 'cut_out' },
      ['c2pa.opened', 'c2pa.edited'],
      [['parentOf', 'c2pa.created']],
    ],
    [
      'a put-back',
      { path: 'put_back' },
      ['c2pa.opened', 'c2pa.placed'],
      [['parentOf'], ['componentOf', 'c2pa.created']],
    ],
    [
      'a put-back into a signed source',
      { path: 'put_back', origin: 'unsigned', source: 'signed' },
      ['c2pa.opened', 'c2pa.placed'],
      [['parentOf', 'c2pa.created'], ['componentOf']],
    ],
    [
      'an image without credentials',
      { origin: 'unsigned', certificate: 'all' },
      ['c2pa.created'],
      [],
    ],
  ])('signs %s with its actions and its originals', async (_, given, actions, originals) => {
    const one: Case = {
      ...{ certificate: 'changed', origin: 'signed', path: 'plain', record: 'none' },
      ...{ source: 'unsigned', from: 'png', to: 'png' },
      ...given,
    };

    const { bytes } = await deliver(one, await givenIn(one));

    const report = await judge.validate({ bytes, format: one.to }, signal);
    expect(report?.manifest?.signer).toBe('Example Organisation');
    expect(actionsOf(report?.manifest)).toEqual(actions);
    const found = report?.manifest?.ingredients ?? [];
    expect(
      found.map(({ relationship, manifest }) => [relationship, ...actionsOf(manifest)]),
    ).toEqual(originals);
  });

  test('names the images of an edit as inputs if all images are signed', async () => {
    const rig = await rigFor({ certificate: 'all', path: 'plain' });
    const given = await fromPixels(textured(40, 40)).png().toBuffer();
    const signed = await provider.sign(
      await fromPixels(textured(20, 20)).webp().toBuffer(),
      'webp',
    );
    reply = (call) => call.succeed({ outputs: [{ bytes: given }] });
    const images = [inlineImage(await flat(20, 20, '#405060', 'jpeg')), inlineImage(signed)];

    const { response } = await rig.run(requestOf({ operation: 'edit', images }), rig.newContext())
      .result;

    const image = { bytes: inlineBytes(response.data[0]), format: 'png' } as const;
    const report = await judge.validate(image, signal);
    expect(report?.state).toBe('valid');
    expect(report?.manifest?.ingredients).toMatchObject([
      { relationship: 'inputTo', format: 'image/jpeg' },
      { relationship: 'inputTo', format: 'image/webp', manifest: { signer: 'Provider of Tests' } },
    ]);
  });

  test.each(FORMATS)(
    'is not lost if the thread fails while it signs a %s: the reply says so, and the image is charged once',
    async (format) => {
      const credentials = { ...(await trial('changed')), sign: fails };
      const rig = await openGenerationRig(
        { reply: (call) => reply(call) },
        anything,
        {},
        [],
        credentials,
      );
      rigs.set(`failing ${format}`, rig);
      const one: Case = {
        ...{ certificate: 'changed', origin: 'signed', path: 'plain', record: 'embedded' },
        ...{ source: 'unsigned', from: format, to: format },
      };
      const given = await givenIn(one);
      reply = (call) => call.succeed({ outputs: [{ bytes: given }] });
      const sent = { parameters: { output_format: format }, output: { metadata: 'embedded' } };

      const { response } = await rig.run(requestOf(sent), rig.newContext()).result;

      expect(inlineBytes(response.data[0]).equals(given)).toBe(true);
      expect(response.warnings).toEqual(['metadata_not_embedded', 'signing_failed']);
      expect(response.data[0]?.provenance).toMatchObject({ found: 'valid', credentials: 'kept' });
      expect(rig.provider.calls).toHaveLength(1);
    },
  );

  test('names the lost credentials of the source of an edit if a composite could not be signed', async () => {
    const credentials = { ...(await trial('changed')), sign: fails };
    const script = { maskForm: 'alpha', reply: (call: ScriptedCall) => reply(call) } as const;
    rigs.set(
      'failing put_back never',
      await openGenerationRig(script, hinted, {}, [], credentials),
    );
    const one: Case = {
      ...{ certificate: 'failing', path: 'put_back', origin: 'unsigned', source: 'signed' },
      ...{ record: 'none', from: 'png', to: 'png' },
    };

    const { warnings, provenance } = await deliver(one, await givenIn(one));

    expect(warnings).toEqual(
      expect.arrayContaining(['credentials_dropped', 'signing_failed'] satisfies Warning[]),
    );
    expect(provenance).toMatchObject({
      found: 'valid',
      credentials: 'dropped',
      reason: 'signing_failed',
    });
  });

  test('stays as the provider returned it if a signed image cannot hold a record', async () => {
    const rig = await rigFor({ certificate: 'changed', path: 'plain' });
    const packets = Array.from({ length: 70 }, () => chunk('iTXt', XMP_TEXT));
    const png = await fromPixels(textured(40, 40)).png().toBuffer();
    const given = await provider.sign(insertAfterHeader(png, Buffer.concat(packets)), 'png');
    reply = (call) => call.succeed({ outputs: [{ bytes: given }] });
    const sent = { output: { metadata: 'embedded' } };

    const { response } = await rig.run(requestOf(sent), rig.newContext()).result;

    expect(inlineBytes(response.data[0]).equals(given)).toBe(true);
    expect(response.warnings).toEqual(['metadata_not_embedded']);
  });

  test('treats an image that the library cannot read as an image without credentials, if it has no manifest', async () => {
    const credentials = {
      ...(await trial('changed')),
      validate: async () => ({ state: 'unreadable' }) as const,
    };
    const script = { reply: (call: ScriptedCall) => reply(call) };
    const rig = await openGenerationRig(script, anything, {}, [], credentials);
    rigs.set('unreadable', rig);
    const given = await fromPixels(textured(40, 40)).png().toBuffer();
    reply = (call) => call.succeed({ outputs: [{ bytes: given }] });
    const sent = { output: { metadata: 'embedded' } };

    const { response } = await rig.run(requestOf(sent), rig.newContext()).result;

    const reading = await readRecord(inlineBytes(response.data[0]), limits, slices, signal);
    expect(reading.ok).toBe(true);
    expect(response.warnings).toEqual([]);
  });

  test.each<[string, Partial<Case>]>([
    ['converted', { to: 'webp' }],
    ['composited', { path: 'put_back' }],
  ])('is never signed over two manifest stores if it is %s', async (_, given) => {
    const one: Case = {
      ...{ certificate: 'all', origin: 'signed', path: 'plain', record: 'none' },
      ...{ source: 'signed', from: 'png', to: 'png' },
      ...given,
    };
    const signed = await givenIn(one);
    const start = signed.indexOf('caBX') - 4;
    const store = signed.subarray(start, start + 12 + signed.readUInt32BE(start));
    const { bytes, provenance, warnings } = await deliver(one, insertAfterHeader(signed, store));

    expect(warnings).toContain('credentials_dropped');
    expect(provenance).toMatchObject({
      found: 'unreadable',
      credentials: 'dropped',
      reason: 'unreadable',
    });
    expect((await judge.validate({ bytes, format: one.to }, signal))?.state).toBe('none');
  });

  test('keeps credentials that are too large to be read, and drops them in a conversion', async () => {
    const rig = await rigFor({ certificate: 'changed', path: 'plain' });
    const png = await fromPixels(textured(40, 40)).png().toBuffer();
    const given = insertAfterHeader(png, chunk('caBX', manifestBox(undefined, 65_536)));
    reply = (call) => call.succeed({ outputs: [{ bytes: given, anyFormat: true }] });
    const run = (format: OutputFormat) => {
      const sent = { parameters: { output_format: format }, output: { metadata: 'embedded' } };
      return rig.run(requestOf(sent), rig.newContext()).result;
    };

    const kept = (await run('png')).response;
    const converted = (await run('webp')).response;

    expect(inlineBytes(kept.data[0]).equals(given)).toBe(true);
    expect(kept.warnings).toEqual(['metadata_not_embedded']);
    expect(converted.warnings).toEqual(['output_format_converted', 'credentials_dropped']);
    expect([kept.data[0]?.provenance, converted.data[0]?.provenance]).toEqual([
      { found: 'too_large', credentials: 'kept', mark: 'none' },
      { found: 'too_large', credentials: 'dropped', reason: 'too_large', mark: 'none' },
    ]);
  });

  const fails = async () => ({ ok: false, failure: 'trapped' }) as const;
});
