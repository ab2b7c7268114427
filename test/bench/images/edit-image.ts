import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../measure/bench.ts';
import { compare, timeRow } from '../measure/compare.ts';
import { inMegabytes, writeImage } from '../measure/image.ts';

/**
 * An edit of 12 MB over HTTP. The provider replies at once with an image of a few pixels, so that nearly all of the time is the
 * way to the provider, including the verification of the input. The other side decodes and hashes the input too.
 */
export const editImage: Bench = {
  name: 'edit-image',
  async run(tools) {
    const smallFile = join(tools.folder, 'small.png');
    await writeImage(smallFile, { width: 16, height: 16, noise: 16 });
    const source = await writeImage(join(tools.folder, 'source.png'), {
      width: 1960,
      height: 1960,
      noise: 26,
    });
    const bodyFile = join(tools.folder, 'edit.json');
    const body = editBody(source);
    await writeFile(bodyFile, body);
    const bridge = await tools.start('bridge', { folder: tools.folder, imageFile: smallFile });
    const floor = await tools.start('floor', { kind: 'edit' });
    const requests = [{ method: 'POST', path: '/v1/images', bodyFile } as const];
    const task = { requests, connections: 1, forMs: 3000 };
    const comparison = await compare(tools, { server: bridge, task }, { server: floor, task });
    await Promise.all([bridge.stop(), floor.stop()]);
    return [
      timeRow(comparison, {
        what: `edit of ${inMegabytes(body.length)} over HTTP, input verified`,
        against: 'read, `latin1`, `JSON.parse`, base64, decode and hash',
        budget: '≤ 1.3',
      }),
    ];
  },
};

/** Returns the request for an edit of one PNG as JSON. */
export function editBody(source: Buffer): string {
  const images = [{ type: 'base64', media_type: 'image/png', data: source.toString('base64') }];
  return JSON.stringify({ operation: 'edit', prompt: 'the same in winter', images });
}
