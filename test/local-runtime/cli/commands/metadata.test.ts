import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../../../infra/generators/openapi/examples/examples.ts';
import { ImageMetadataRecord } from '../../../../lib/contract/reply/metadata-record.ts';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import { toXmpJson } from '../../../../lib/images/xmp/xmp-packet.ts';
import { image as imageBytes } from '../../../lib/generation/images.ts';
import { chunk, insertAfterHeader } from '../../../lib/images/container/png-bytes.ts';
import { embedRecord } from '../../../lib/images/xmp/embed-record.ts';
import { trialCertificates } from '../../../support/provenance/certificates.ts';
import { createProviderSigner, GENERATED } from '../../../support/provenance/signed-images.ts';
import { runCommand } from '../../../support/run-command.ts';

const { signal } = new AbortController();
const certificates = trialCertificates({ organisation: 'Gallery \u001b[31m of Tests' });
const provider = createProviderSigner(certificates);
const RECORD = v.parse(ImageMetadataRecord, EXAMPLES['ImageMetadataRecord']?.['sidecar']?.value);

let cwd: string;
let stdout: string;
let stderr: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'metadata-'));
  stdout = '';
  stderr = '';
});
afterEach(() => rm(cwd, { recursive: true }));
afterAll(() => provider.close());

async function run(...argv: string[]): Promise<number> {
  const ended = await runCommand(['metadata', ...argv], { cwd });
  stdout += ended.stdout;
  stderr += ended.stderr;
  return ended.exitCode;
}

async function imageWith(record: unknown, format: OutputFormat = 'png'): Promise<Buffer> {
  const image = { bytes: await imageBytes({ format }), format };
  const json = toXmpJson(JSON.stringify(record));
  const bytes = await embedRecord(image, json, signal);
  return bytes ?? expect.fail('the record was not embedded');
}

const put = (name: string, content: string | Buffer) => writeFile(join(cwd, name), content);

describe('metadata', () => {
  it.each<OutputFormat>(['png', 'jpeg', 'webp'])(
    'prints the record inside a %s',
    async (format) => {
      // The content counts, not the name.
      await put('image', await imageWith(RECORD, format));

      const code = await run('show', 'image', '--json');

      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ record: RECORD, mark: null, credentials: null });
      expect(stderr).toBe('');
    },
  );

  it('prints a sidecar', async () => {
    await put('a.json', JSON.stringify(RECORD));

    const code = await run('show', 'a.json', '--json');

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ record: RECORD, mark: null, credentials: null });
  });

  it('prints one line for each field, with its value as JSON', async () => {
    await put('a.png', await imageWith(RECORD));

    const code = await run('show', 'a.png');

    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(Object.keys(RECORD).length);
    expect(lines).toContain(`prompt: ${JSON.stringify(RECORD.prompt)}`);
    expect(lines).toContain(`image: ${JSON.stringify(RECORD.image)}`);
  });

  it.each([[[]], [['--json']]])('prints no control characters with %j', async (options) => {
    const prompt = '\u001b]0;owned\u0007 \u009b31m \u007f \u202e \n end';
    await put('a.png', await imageWith({ ...RECORD, prompt }));

    await run('show', 'a.png', ...options);

    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
    expect(stdout).toContain(String.raw`\u001b]0;owned\u0007 \u009b31m \u007f \u202e \n end`);
  });

  it('prints the credentials of an image, with those of the image from which it was made', async () => {
    const png = await provider.sign(await imageWith(RECORD), 'png');
    const original = { bytes: png, format: 'png', hasCredentials: true } as const;
    const claim = { model: 'painter', sourceType: GENERATED, kind: 'changed', original } as const;
    const changes = ['converted'] as const;
    const jpeg = await provider.sign(await imageWith(RECORD, 'jpeg'), 'jpeg', {
      ...claim,
      changes,
    });
    await put('a.jpg', jpeg);

    const code = await run('show', 'a.jpg', '--json');

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      record: RECORD,
      mark: null,
      credentials: {
        state: 'valid',
        manifest: {
          signer: 'Gallery [31m of Tests',
          generator: 'provider-of-tests 1.0',
          actions: [
            { action: 'c2pa.opened', software: 'provider-of-tests 1.0' },
            { action: 'c2pa.converted', software: 'provider-of-tests 1.0' },
          ],
          ingredients: [
            {
              relationship: 'parentOf',
              format: 'image/png',
              manifest: {
                signer: 'Gallery [31m of Tests',
                generator: 'provider-of-tests 1.0',
                actions: [
                  { action: 'c2pa.created', source_type: GENERATED, software: 'model-of-tests' },
                ],
                ingredients: [],
              },
            },
          ],
        },
      },
    });
  });

  it.each([
    ['as an element', `><i:DigitalSourceType>${GENERATED}</i:DigitalSourceType></rdf:Description>`],
    ['as an attribute', ` i:DigitalSourceType="${GENERATED}"/>`],
  ])('prints the mark of an image, %s', async (_, rest) => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:i="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"${rest}</rdf:RDF></x:xmpmeta>`;
    const chunkOfXmp = chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`, 'latin1'));
    await put('a.png', insertAfterHeader(await imageBytes(), chunkOfXmp));

    const json = await run('show', 'a.png', '--json');

    expect(json).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ record: null, mark: GENERATED, credentials: null });
  });

  it('prints credentials as text if the image has no record', async () => {
    await put('a.png', await provider.sign(await imageBytes(), 'png'));

    const code = await run('show', 'a.png');

    expect(code).toBe(0);
    expect(stdout).toBe(
      `credentials: valid
  signed by: Gallery [31m of Tests
  written by: provider-of-tests 1.0
  c2pa.created, by model-of-tests, ${GENERATED}
`,
    );
  });

  it('trusts a signer whose certificate was issued by a certificate of --trust-anchors', async () => {
    await put('a.png', await provider.sign(await imageBytes(), 'png'));
    await put('anchors.pem', certificates.anchor);

    const code = await run('show', 'a.png', '--json', '--trust-anchors', 'anchors.pem');

    expect(code).toBe(0);
    expect(JSON.parse(stdout).credentials.state).toBe('trusted');
  });

  it('exits with 1 if the trust anchors cannot be read', async () => {
    await put('a.png', await provider.sign(await imageBytes(), 'png'));

    const code = await run('show', 'a.png', '--trust-anchors', 'missing.pem');

    expect(code).toBe(1);
    expect(stderr).toBe('image-bridge: --trust-anchors: no such file\n');
  });

  it.each<[string, () => Promise<string | Buffer>, string]>([
    [
      'an image without one',
      () => imageBytes(),
      'has no embedded record, no mark and no credentials',
    ],
    [
      'a truncated image',
      async () => (await imageBytes()).subarray(0, -3),
      'is a damaged image (truncated)',
    ],
    [
      'a record of another shape',
      () => imageWith({ prompt: 'a' }),
      'has no record in a format known to this version',
    ],
    [
      'a record of another version',
      () => imageWith({ ...RECORD, version: '2' }),
      'has no record in a format known to this version',
    ],
    [
      'a record that is no JSON',
      async () => {
        const image = { bytes: await imageBytes(), format: 'png' } as const;
        return (await embedRecord(image, '{"version":', signal)) ?? '';
      },
      'has no record in a format known to this version',
    ],
    ['an empty file', async () => '', 'has no record in a format known to this version'],
    [
      'JSON that is no record',
      async () => '[1]',
      'has no record in a format known to this version',
    ],
    [
      'JSON nested without end',
      async () => '['.repeat(1_000_000),
      'has no record in a format known to this version',
    ],
    [
      'something long',
      async () => Buffer.alloc(5 * 1024 * 1024, 'a'),
      'is neither a PNG, JPEG or WebP image nor a sidecar',
    ],
  ])('exits with 1 and one sentence for %s', async (_, content, sentence) => {
    await put('file', await content());

    const code = await run('show', 'file');

    expect(code).toBe(1);
    expect(stderr).toBe(`file ${sentence}\n`);
    expect(stdout).toBe('');
  });

  it('exits with 1 for a missing file, a folder, a pipe and a file longer than any image', async () => {
    await mkdir(join(cwd, 'folder'));
    await promisify(execFile)('mkfifo', [join(cwd, 'pipe')]);
    await put('long', '');
    await truncate(join(cwd, 'long'), 2 ** 30);

    const codes = [];
    for (const name of ['nowhere', 'folder', 'pipe', 'long']) codes.push(await run('show', name));

    expect(codes).toEqual([1, 1, 1, 1]);
    expect(stderr.split('\n')).toEqual([
      'nowhere cannot be read',
      'folder is not a regular file',
      'pipe is not a regular file',
      `long is longer than ${256 * 1024 * 1024} bytes`,
      '',
    ]);
  });

  it.each([[[]], [['show']], [['show', 'a', 'b']], [['hide', 'a']], [['show', 'a', '--yaml']]])(
    'exits with 2 and how to use it for %j',
    async (argv) => {
      const code = await run(...argv);

      expect(code).toBe(2);
      expect(stderr).toMatch(/^usage: /);
      expect(stdout).toBe('');
    },
  );
});
