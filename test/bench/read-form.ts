import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formBytes, formType } from '../support/form-bytes.ts';
import type { Bench, Row, Tools } from './bench.ts';
import { compare, rateRow } from './compare.ts';
import { inMegabytes } from './picture.ts';

const PICTURE_BYTES = 10_000_000;
const PICTURES = 3;
const ONE_REQUEST_MS = 1;

/** A form with three pictures over HTTP, up to a handler that does nothing with it. */
export const readForm: Bench = {
  name: 'read-form',
  async run(tools) {
    const body = formBytes([
      { name: 'title', content: 'the same in winter' },
      ...Array.from({ length: PICTURES }, () => ({
        name: 'page',
        filename: 'picture.png',
        content: randomBytes(PICTURE_BYTES),
      })),
    ]);
    const bodyFile = join(tools.folder, 'form');
    await writeFile(bodyFile, body);
    const requests = [
      { method: 'POST', path: '/v1/form', bodyFile, contentType: formType() } as const,
    ];
    const task = { requests, connections: 1, forMs: 2000 };
    const form = await tools.start('form', {});
    const floor = await tools.start('floor', { kind: 'read' });
    const comparison = await compare(tools, { server: form, task }, { server: floor, task });
    await Promise.all([form.stop(), floor.stop()]);
    const what = `form of ${inMegabytes(body.length)} with ${PICTURES} files`;
    return [
      rateRow(comparison, {
        what,
        against: 'reading the same body into one buffer',
        budget: '≥ 0.75',
      }),
      await memoryRow(tools, requests, { what, bodyMb: body.length / 2 ** 20 }),
    ];
  },
};

/** What the first request of a process adds to the most that it ever held. */
async function memoryRow(
  { start, load }: Tools,
  requests: Parameters<Tools['load']>[0]['requests'],
  { what, bodyMb }: { readonly what: string; readonly bodyMb: number },
): Promise<Row> {
  const server = await start('form', {});
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
    ...{ cpuRatio: '–', budget: '< 2.5', loop: '–' },
  };
}
