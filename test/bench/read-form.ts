import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formBytes, formType } from '../support/form-bytes.ts';
import type { Bench, Row, Tools } from './measure/bench.ts';
import { compare, rateRow, type Words } from './measure/compare.ts';
import { inMegabytes } from './measure/image.ts';
import type { ProgramName } from './measure/server-process.ts';

const IMAGE_BYTES = 10_000_000;
const IMAGES = 3;
const ONE_REQUEST_MS = 1;

/** A form with three images over HTTP, up to a handler that ignores it. */
export const readForm: Bench = {
  name: 'read-form',
  async run(tools) {
    const body = formBytes([
      { name: 'title', content: 'the same in winter' },
      ...Array.from({ length: IMAGES }, () => ({
        name: 'page',
        filename: 'image.png',
        content: randomBytes(IMAGE_BYTES),
      })),
    ]);
    const bodyFile = join(tools.folder, 'form');
    await writeFile(bodyFile, body);
    const requests = [
      { method: 'POST', path: '/v1/form', bodyFile, contentType: formType() } as const,
    ];
    const task = { requests, connections: 1, forMs: 2000 };
    const what = `form of ${inMegabytes(body.length)} with ${IMAGES} files`;
    const versus = async (program: ProgramName, kind: string, words: Omit<Words, 'what'>) => {
      const ours = await tools.start('form', { kind: 'form' });
      const theirs = await tools.start(program, { kind });
      const comparison = await compare(tools, { server: ours, task }, { server: theirs, task });
      await Promise.all([ours.stop(), theirs.stop()]);
      return rateRow(comparison, { what, ...words });
    };
    return [
      await versus('form', 'raw', {
        against: 'the same listener reading the body into one buffer',
        budget: '≥ 0.75',
      }),
      await versus('floor', 'read', {
        against: 'plain Node reading the body into one buffer',
        budget: 'reported',
      }),
      await memoryRow(tools, requests, { what, bodyMb: body.length / 2 ** 20 }),
    ];
  },
};

/** The memory that the first request of a process adds to the peak. */
async function memoryRow(
  { start, load }: Tools,
  requests: Parameters<Tools['load']>[0]['requests'],
  { what, bodyMb }: { readonly what: string; readonly bodyMb: number },
): Promise<Row> {
  const server = await start('form', { kind: 'form' });
  const before = await server.end();
  await load({ port: server.port, requests, connections: 1, forMs: ONE_REQUEST_MS });
  const after = await server.end();
  await server.stop();
  const addedMb = after.peakMb - before.peakMb;
  return {
    what: `${what}: memory that the first one adds`,
    ours: `${addedMb.toFixed(0)} MB`,
    against: 'the body',
    theirs: `${bodyMb.toFixed(0)} MB`,
    ratio: (addedMb / bodyMb).toFixed(2),
    budget: '< 2.5',
  };
}
