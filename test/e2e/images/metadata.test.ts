import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageMetadataRecord } from '../../../lib/contract/reply/metadata-record.ts';
import { runCommand } from '../../support/run-command.ts';
import { cleanUp, type StartedBridge, startBridge, stateOf } from '../../support/start-bridge.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startBridge();
});
afterAll(() => cleanUp());

interface Created {
  readonly status: number;
  readonly data: readonly {
    readonly id: string;
    readonly name: string;
    readonly sha256: string;
    readonly metadata_name: string;
  }[];
}

async function create(body: object): Promise<Created> {
  const reply = await fetch(`${bridge.address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data = [] } = (await reply.json()) as Partial<Created>;
  return { status: reply.status, data };
}

async function show(path: string): Promise<ImageMetadataRecord> {
  const { stdout, stderr } = await runCommand(['metadata', 'show', path, '--json'], {
    cwd: bridge.cwd,
  });
  expect(stderr).toBe('');
  return v.parse(ImageMetadataRecord, JSON.parse(stdout).record);
}

describe('metadata of a running bridge', () => {
  it.each(['png', 'jpeg', 'webp'])(
    'is in a %s and in its sidecar, and the command reads both',
    async (format) => {
      const { status, data } = await create({
        prompt: 'a <b>fox</b> & a hen',
        metadata: { order: '7' },
        parameters: { n: 2, size: '64x64', output_format: format },
        output: {
          response_format: 'artifact',
          directory: format,
          metadata: 'sidecar_and_embedded',
        },
      });

      expect(status).toBe(200);
      const root = stateOf(bridge.cwd).artifacts;
      for (const [index, { id, name, sha256, metadata_name }] of data.entries()) {
        const sent = await fetch(`${bridge.address}/v1/artifacts/${id}`);
        const file = await readFile(join(root, name));
        const embedded = await show(join(root, name));
        const beside = await show(join(root, metadata_name));
        expect(Buffer.from(await sent.arrayBuffer())).toEqual(file);
        expect(createHash('sha256').update(file).digest('hex')).toBe(sha256);
        expect(beside.image).toMatchObject({ index, format, bytes: file.length, sha256 });
        expect(embedded).toMatchObject({
          prompt: 'a <b>fox</b> & a hen',
          metadata: { order: '7' },
          image: { index, format, width: 64, height: 64 },
        });
      }
      expect((await readdir(join(root, format))).length).toBe(4);
    },
  );

  it('is part of the collision check of an exact name', async () => {
    const ask = (output_format: string, collision: string) =>
      create({
        prompt: 'a fox',
        parameters: { size: '64x64', output_format },
        output: {
          response_format: 'artifact',
          filename: 'exact',
          collision,
          metadata: 'sidecar',
        },
      });

    const first = await ask('png', 'error');
    const second = await ask('webp', 'error');
    const third = await ask('webp', 'suffix');

    expect(first.data[0]).toMatchObject({ name: 'exact.png', metadata_name: 'exact.json' });
    expect(second.status).toBe(409);
    expect(third.data[0]).toMatchObject({ name: 'exact-2.webp', metadata_name: 'exact-2.json' });
  });

  it('is rejected if it cannot be embedded', async () => {
    const outputs = [
      { metadata: 'sidecar' },
      { metadata: 'sidecar_and_embedded', response_format: 'url' },
      { metadata: 'embedded', response_format: 'metadata' },
    ];

    const replies = await Promise.all(outputs.map((output) => create({ prompt: 'a fox', output })));

    expect(replies.map(({ status }) => status)).toEqual([422, 422, 422]);
  });
});
